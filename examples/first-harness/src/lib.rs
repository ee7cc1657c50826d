//! A packet: the bytes `PK`, the length of the payload in one byte, the payload.

/// Returns the payload of a packet, or `None` if the bytes are no packet.
pub fn payload(packet: &[u8]) -> Option<&[u8]> {
    let rest = packet.strip_prefix(b"PK")?;
    let length = usize::from(*rest.first()?);
    if length > rest.len() {
        return None;
    }
    Some(&rest[1..1 + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `payload` does not panic on any six bytes.
    #[symex::harness]
    fn any_bytes(packet: [u8; 6]) {
        payload(&packet);
    }
}
