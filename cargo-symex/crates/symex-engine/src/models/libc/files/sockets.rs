//! Models of sockets: pairs of connected ones carry bytes within the process. There is no network.

use super::Errno;
use super::descriptors::{CLOSE_ON_EXEC, NON_BLOCKING, open_pair, store_pair};
use super::files;
use super::transfer::open_node;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EAFNOSUPPORT, ECONNRESET, EINVAL, ENOTSOCK, EOPNOTSUPP};
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{Description, FileKind, NodeId};
use crate::state::readiness::Socket;
use std::rc::Rc;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("socket", unreachable),
    row("connect", unreachable),
    row("socketpair", socketpair),
    row("shutdown", shutdown),
    row("getsockopt", getsockopt),
];

fn unreachable(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    outside_world::take(m, st, outside_world::NETWORK);
    errno::fail(m, st, c, errno::EACCES)
}

const STREAM: u64 = 1;

/// `socketpair(family, type, protocol, ends)`.
fn socketpair(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const UNIX: u64 = 1;
    const INTERNET: [u64; 2] = [2, 10];
    let family = m.concretise(st, c.arg(0), 32)?;
    let kind = m.concretise(st, c.arg(1), 32)?;
    let protocol = m.concretise(st, c.arg(2), 32)?;
    if family != UNIX {
        let code = match INTERNET.contains(&family) {
            true => EOPNOTSUPP,
            false => EAFNOSUPPORT,
        };
        return errno::fail(m, st, c, code);
    }
    let flags = kind & (CLOSE_ON_EXEC | NON_BLOCKING);
    if kind & !flags != STREAM || protocol > UNIX {
        let what = format!("a pair of sockets of type {:#x}", kind & !flags);
        return Err(Unsupported::Model(what).into());
    }
    let (object, at) = m.check_range(st, c.arg(3), 8, Access::Write)?;
    let fs = files(st);
    let mut end = || {
        let socket = Socket {
            received: Rc::default(),
            peer: NodeId(0),
            sends_no_more: false,
            receives_no_more: false,
            is_reset: false,
        };
        fs.add(FileKind::Socket(socket), 0o777)
    };
    let nodes = [end(), end()];
    for (node, peer) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
        if let Some(socket) = fs.socket_mut(node) {
            socket.peer = peer;
        }
    }
    let ends = nodes.map(|node| Description::new(node, true, true));
    let made = open_pair(st, ends, flags)?;
    store_pair(m, st, (object, at), made);
    Flow::int(0)
}

/// Returns the socket of the descriptor that a call works on.
pub(super) fn socket(m: &mut Executor, st: &mut State, c: &Call) -> Res<Result<NodeId, Errno>> {
    let node = open_node(m, st, c.arg(0))?;
    Ok(node.and_then(|node| match st.world.files.socket(node) {
        Some(_) => Ok(node),
        None => Err(ENOTSOCK),
    }))
}

/// `shutdown(descriptor, how)`.
fn shutdown(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const RECEIVING: u64 = 0;
    const SENDING: u64 = 1;
    const BOTH: u64 = 2;
    let node = match socket(m, st, c)? {
        Ok(node) => node,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let how = m.concretise(st, c.arg(1), 32)?;
    if how > BOTH {
        return errno::fail(m, st, c, EINVAL);
    }
    let fs = files(st);
    let Some(socket) = fs.socket_mut(node) else {
        return errno::fail(m, st, c, ENOTSOCK);
    };
    socket.receives_no_more |= how != SENDING;
    socket.sends_no_more |= how != RECEIVING;
    let peer = socket.peer;
    // The other end is told, too: it cannot send to who receives no more, and the other way round.
    if let Some(other) = fs.socket_mut(peer) {
        other.receives_no_more |= how != RECEIVING;
        other.sends_no_more |= how != SENDING;
    }
    for end in [node, peer] {
        fs.signal_input(end);
        fs.signal_output(end);
    }
    Flow::int(0)
}

/// Takes the error of a socket whose other end was closed before it had read all, if there is one.
pub(super) fn take_reset(st: &mut State, node: NodeId) -> bool {
    let is_reset = |socket: &Socket| socket.is_reset;
    if !st.world.files.socket(node).is_some_and(is_reset) {
        return false;
    }
    if let Some(socket) = files(st).socket_mut(node) {
        socket.is_reset = false;
    }
    true
}

/// `getsockopt(descriptor, level, option, value, size)`: the type, and the error.
fn getsockopt(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const SOCKET: u64 = 1;
    const TYPE: u64 = 3;
    const ERROR: u64 = 4;
    let node = match socket(m, st, c)? {
        Ok(node) => node,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let level = m.concretise(st, c.arg(1), 32)?;
    let option = m.concretise(st, c.arg(2), 32)?;
    let value = match (level, option) {
        (SOCKET, TYPE) => STREAM,
        (SOCKET, ERROR) => match take_reset(st, node) {
            true => ECONNRESET,
            false => 0,
        },
        _ => {
            let what = format!("getsockopt of option {option} at level {level}");
            return Err(Unsupported::Model(what).into());
        }
    };
    let size = m.load(st, c.arg(4), 32, 2)?;
    if m.concretise(st, size, 32)? < 4 {
        return Err(Unsupported::Model("getsockopt with less than four bytes".into()).into());
    }
    let (object, at) = m.check_range(st, c.arg(3), 4, Access::Write)?;
    st.memory
        .store(&mut m.pool, object, at, 32, Value::Int(value));
    let (object, at) = m.check_range(st, c.arg(4), 4, Access::Write)?;
    st.memory.store(&mut m.pool, object, at, 32, Value::Int(4));
    Flow::int(0)
}
