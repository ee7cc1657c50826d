"use strict";
// Shows one part of the page at a time, by the address behind #; sorts, filters, keys; fills what
// is large when it is looked at. Texts become nodes by textContent alone.
(() => {
  const $ = (selector, of = document) => of.querySelector(selector);
  const $$ = (selector, of = document) => [...of.querySelectorAll(selector)];
  const el = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const read = (id) => JSON.parse($("#" + id).textContent);
  let statistics;
  const allStatistics = () => (statistics ??= read("data"));

  // Parts, by the address.
  const parts = $$("section.part");
  const harnesses = parts.filter((part) => part.classList.contains("harness"));
  const templates = new Map($$("template[data-file]").map((one) => [one.dataset.file, one]));
  let shown = $("#overview");
  let scrolled = 0;

  function open(address) {
    const file = address.startsWith("file/") && address.slice(5).match(/^(.*?)(?::(\d+))?$/s);
    if (file && templates.has(file[1])) {
      show($("#file"));
      if ($("#file").dataset.name !== file[1]) {
        $("#file").dataset.name = file[1];
        $("#file").replaceChildren(templates.get(file[1]).content.cloneNode(true));
      }
      $$("tr.target", $("#file")).forEach((row) => row.classList.remove("target"));
      const row = file[2] && $("#L" + file[2]);
      row?.classList.add("target");
      row ? row.scrollIntoView({ block: "center" }) : scrollTo(0, 0);
      return;
    }
    const target = (address && document.getElementById(address)) || $("#overview");
    const part = target.closest("section.part") ?? $("#overview");
    show(part);
    if (target !== part) target.scrollIntoView();
    else scrollTo(0, part.id === "overview" ? scrolled : 0);
  }

  function show(part) {
    if (shown.id === "overview" && part !== shown) scrolled = scrollY;
    shown = part;
    for (const other of parts) other.hidden = other !== part;
    const name = part.classList.contains("harness") ? "overview" : part.id === "file" ? "coverage" : part.id;
    for (const link of $$("nav a[data-part]")) {
      link.dataset.part === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    }
    if (part.id === "memory") fillMemory();
    drawTree(part);
    linkPlaces(part);
  }

  const address = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return location.hash.slice(1);
    }
  };
  addEventListener("hashchange", () => open(address()));

  // Places in files whose source is here become links.
  const names = [...templates.keys()];
  function linkPlaces(part) {
    if (!names.length || part.dataset.linked) return;
    part.dataset.linked = "yes";
    for (const node of $$(".places", part)) {
      if (node.firstElementChild) continue;
      const text = node.textContent;
      const pieces = [];
      let from = 0;
      for (const place of text.matchAll(/([^\s:]+):(\d+)(?::\d+)?/g)) {
        const name = names.find((name) => name === place[1] || name.endsWith("/" + place[1]) || place[1].endsWith("/" + name));
        if (!name) continue;
        pieces.push(text.slice(from, place.index), el("a", { href: `#file/${name}:${place[2]}` }, place[0]));
        from = place.index + place[0].length;
      }
      if (pieces.length) node.replaceChildren(...pieces, text.slice(from));
    }
  }

  // The table of harnesses.
  const table = $("#harnesses");
  const rows = $$("tbody tr", table);
  const filter = $("#filter");
  let only = "";

  function filterRows() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const name = row.cells[0].textContent.toLowerCase();
      row.hidden = (only !== "" && row.dataset.verdict !== only) || !words.every((word) => name.includes(word));
      count += !row.hidden;
    }
    $("#shown").textContent = count === rows.length ? "" : `${count} of ${rows.length}`;
    $("#none").hidden = count > 0 || rows.length === 0;
  }
  filter.addEventListener("input", filterRows);
  for (const button of $$("[data-only]")) {
    button.addEventListener("click", () => {
      only = only === button.dataset.only ? "" : button.dataset.only;
      for (const other of $$("[data-only]")) other.setAttribute("aria-pressed", String(other.dataset.only === only));
      filterRows();
    });
  }

  for (const button of $$("[data-sort]", table)) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const column = head.cellIndex;
      // Numbers begin with the greatest, but for ranks, of which the least is the gravest.
      const ranks = [0, 1, 5].includes(column);
      const up = head.getAttribute("aria-sort") === (ranks ? "ascending" : "descending") ? !ranks : ranks;
      for (const other of $$("th", table)) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => Number(row.cells[column].dataset.value);
      rows.sort((a, b) => (up ? value(a) - value(b) : value(b) - value(a)) || Number(a.cells[0].dataset.value) - Number(b.cells[0].dataset.value));
      $("tbody", table).append(...rows);
    });
  }

  // Statistics.
  function statisticsTable(number) {
    const { labels, values } = allStatistics();
    const rows = labels.map((label, at) => el("tr", {}, el("th", { scope: "row" }, label), el("td", {}, values[number][at])));
    return el("table", { class: "statistics" }, el("tbody", {}, ...rows));
  }
  for (const fold of $$("details[data-statistics]")) {
    fold.addEventListener("toggle", () => {
      if (fold.open && !$("table", fold)) fold.append(statisticsTable(harnesses.indexOf(fold.closest("section"))));
    });
  }
  function fillMemory() {
    const { labels, memory, names, values } = allStatistics();
    const isTold = (column) => $("#zeros").checked || values.some((all) => Number(all[column]) !== 0);
    const columns = memory.filter(isTold);
    const head = columns.map((column) => el("th", { scope: "col" }, labels[column].trim()));
    const body = names.map((name, number) => {
      const link = el("a", { href: "#" + harnesses[number].id }, name);
      return el("tr", {}, el("th", { scope: "row" }, link), ...columns.map((column) => el("td", {}, group(Number(values[number][column])))));
    });
    const made = el("table", { class: "statistics" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "harness"), ...head)), el("tbody", {}, ...body));
    $("[data-memory]").replaceChildren(made);
  }
  $("#zeros").addEventListener("change", fillMemory);

  // Trees of decisions. A node is a fork, an array [place, kind, one side, other side], or an end
  // with the number of forks that are counted there and the ends by kind.
  const NS = "http://www.w3.org/2000/svg";
  const svg = (name, attributes, ...children) => {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  let forest;
  // Most rows that are drawn of a chain of forks at a time, and the size up to which all is unfolded.
  const ROWS = 60;
  const SMALL = 60;

  class Tree {
    constructor(data, ends, kinds) {
      Object.assign(this, data, { endKinds: ends, kinds });
      this.isFork = (node) => Array.isArray(this.nodes[node]);
      const none = () => this.endKinds.map(() => 0);
      this.ends = this.nodes.map(none);
      this.forks = this.nodes.map(() => 0);
      this.weight = this.nodes.map(() => 1);
      this.depth = this.nodes.map(() => 0);
      this.parent = this.nodes.map(() => -1);
      // A fork comes before its sides.
      for (let at = this.nodes.length - 1; at >= 0; at--) {
        const node = this.nodes[at];
        if (this.isFork(at)) {
          this.forks[at] = 1;
          this.weight[at] = 0;
          for (const side of node.slice(2)) {
            this.forks[at] += this.forks[side];
            this.weight[at] += this.weight[side];
            this.ends[side].forEach((count, kind) => (this.ends[at][kind] += count));
            this.parent[side] = at;
          }
        } else {
          this.forks[at] = node.f;
          node.e.forEach((count, kind) => (this.ends[at][kind] = count));
          this.weight[at] = 1 + Math.log2(1 + node.f);
        }
      }
      this.nodes.forEach((node, at) => {
        if (this.isFork(at)) for (const side of node.slice(2)) this.depth[side] = this.depth[at] + 1;
      });
      // Where each way goes, and what of it is below what is told.
      this.onWay = new Set();
      this.below = new Map();
      for (const way of this.ways) {
        let at = this.roots[way.root];
        let step = 0;
        if (at === undefined) continue;
        this.onWay.add(at);
        while (this.isFork(at) && step < way.steps.length) {
          at = this.nodes[at][2 + way.steps[step++][2]];
          this.onWay.add(at);
        }
        if (!this.isFork(at)) this.below.set(at, [...(this.below.get(at) ?? []), { way, from: step }]);
      }
    }

    text(at) {
      const parts = [];
      const sum = this.ends[at].reduce((all, count) => all + count, 0);
      if (this.forks[at]) parts.push(`${group(sum)} paths`);
      this.endKinds.forEach(([kind, one, many], number) => {
        const count = this.ends[at][number];
        if (count && (kind !== "passed" || !this.forks[at])) parts.push(count === 1 && !this.forks[at] ? one : `${group(count)} ${count === 1 ? one : many}`);
      });
      return parts.join(" · ");
    }

    bar(at) {
      const sum = this.ends[at].reduce((all, count) => all + count, 0) || 1;
      const made = svg("svg", { class: "ends", "aria-hidden": "true" });
      let x = 0;
      // What there is of a kind is to be seen, however little it is.
      const shares = this.ends[at].map((count) => (count ? Math.max(count / sum, 0.06) : 0));
      const all = shares.reduce((all, share) => all + share, 0) || 1;
      shares.forEach((share, number) => {
        if (!share) return;
        const width = (share / all) * 100;
        made.append(svg("rect", { x: `${x}%`, width: `${width}%`, height: "100%", "data-end": this.endKinds[number][0] }));
        x += width;
      });
      return made;
    }
  }
  const group = (number) => number.toLocaleString("en");

  // The whole tree at a glance: the root above, and each side of a fork below its part of it.
  function map(tree, go) {
    const deepest = Math.max(...tree.depth) + 1;
    const high = Math.max(2, Math.min(16, 300 / deepest));
    const all = tree.roots.reduce((sum, root) => sum + tree.weight[root], 0);
    const made = svg("svg", { class: "map", viewBox: `0 0 1000 ${deepest * high}`, preserveAspectRatio: "none", height: deepest * high, "aria-hidden": "true" });
    let start = 0;
    const open = tree.roots.map((root) => {
      const at = [root, start];
      start += (tree.weight[root] / all) * 1000;
      return at;
    });
    const finds = tree.endKinds.findIndex(([kind]) => kind === "found");
    while (open.length) {
      const [at, x] = open.pop();
      const width = (tree.weight[at] / all) * 1000;
      const y = tree.depth[at] * high;
      const title = svg("title", {});
      const place = tree.isFork(at) ? `${tree.places[tree.nodes[at][0]]?.join("  ") ?? ""}\n` : "";
      title.textContent = place + tree.text(at);
      const box = (attributes) => {
        const rect = svg("rect", { y, height: tree.isFork(at) ? high : deepest * high - y, ...attributes });
        // Lines between narrow parts would be all that is seen of them.
        if (attributes.width < 5) rect.classList.add("thin");
        rect.addEventListener("click", () => go(at));
        return rect;
      };
      if (tree.isFork(at)) {
        const rect = box({ x, width, class: tree.onWay.has(at) ? "fork way" : "fork" });
        rect.append(title);
        made.append(rect);
        const [one, other] = tree.nodes[at].slice(2);
        open.push([one, x], [other, x + (tree.weight[one] / all) * 1000]);
        continue;
      }
      // A finding is to be seen, however many other paths there are.
      const shares = tree.ends[at].map((count, kind) => (count ? Math.log2(1 + count) * (kind === finds ? 2 : 1) : 0));
      const sum = shares.reduce((all, share) => all + share, 0) || 1;
      let from = x;
      shares.forEach((share, kind) => {
        if (!share) return;
        const part = (share / sum) * width;
        const rect = box({ x: from, width: part, "data-end": tree.endKinds[kind][0] });
        rect.append(title.cloneNode(true));
        made.append(rect);
        from += part;
      });
    }
    return made;
  }

  // The tree as an outline. Of a fork, the larger side goes on at the same level, and the other one
  // is below it: so a long chain of forks is a list.
  function outline(tree) {
    const top = el("ul", { role: "tree", "aria-label": "Tree of decisions" });
    const items = new Map();
    const isSmall = tree.nodes.length <= SMALL;

    function row(twist, ...children) {
      return el("div", { class: "row" }, el("span", { class: "twist", "aria-hidden": "true" }, twist), el("span", { class: "what" }, ...children));
    }
    function step([place, kind]) {
      const [at, line] = tree.places[place] ?? ["unknown place", ""];
      const children = [];
      if (line) children.push(el("code", { class: "line" }, line));
      children.push(el("span", { class: "at places" }, at));
      if (tree.kinds[kind] !== "branch") children.push(el("span", { class: "fork-kind" }, tree.kinds[kind]));
      return children;
    }
    function fold(item, isOpen) {
      const inner = item.lastElementChild;
      if (inner.getAttribute("role") !== "group") return;
      item.setAttribute("aria-expanded", String(isOpen));
      $(".twist", item).textContent = isOpen ? "▾" : "▸";
      inner.hidden = !isOpen;
      if (isOpen && item.fill) {
        item.fill();
        item.fill = undefined;
        inner.closest("section") && relink(item.closest("section"));
      }
    }
    function foldable(item, fill, isOpen) {
      item.append(el("ul", { role: "group", hidden: "" }));
      item.fill = () => fill(item.lastElementChild);
      $(".twist", item).addEventListener("click", () => fold(item, item.getAttribute("aria-expanded") !== "true"));
      fold(item, isOpen);
    }
    function leaf(at) {
      const kinds = tree.endKinds.filter((_, kind) => tree.ends[at][kind]);
      const one = !tree.forks[at] && kinds.length === 1;
      const end = one
        ? el("span", { class: "end", "data-end": kinds[0][0] }, tree.text(at))
        : el("span", { class: "counts" }, `${group(tree.forks[at])} forks not told: ${tree.text(at)}`);
      const made = one ? [end] : [tree.bar(at), end];
      const ways = tree.below.get(at) ?? [];
      for (const { way } of ways) if (way.link) made.push(el("a", { href: "#" + way.link }, way.title));
      const item = el("li", { role: "treeitem", tabindex: "-1" }, row(" ", ...made));
      const longer = ways.filter(({ way, from }) => from < way.steps.length);
      if (longer.length) {
        foldable(item, (into) => {
          for (const { way, from } of longer) {
            for (const one of way.steps.slice(from)) into.append(el("li", { role: "treeitem", tabindex: "-1" }, row(" ", ...step(one))));
            const more = way.more ? `… ${group(way.more)} more forks, then ` : "";
            into.append(el("li", { role: "treeitem", tabindex: "-1" }, row(" ", more, el("span", { class: "end", "data-end": "found" }, way.title))));
          }
        }, isSmall);
      }
      return item;
    }
    function chain(start, into) {
      let at = start;
      for (let rows = 0; ; rows++) {
        if (!tree.isFork(at)) {
          const item = leaf(at);
          items.set(at, item);
          into.append(item);
          return;
        }
        if (rows === ROWS) {
          const next = at;
          const more = el("li", { class: "more", role: "none" }, el("button", { type: "button" }, `${group(tree.forks[at])} more forks`));
          more.firstChild.addEventListener("click", () => {
            more.remove();
            chain(next, into);
            relink(into.closest("section"));
            items.get(next).focus();
          });
          more.continueTo = () => more.isConnected && more.firstChild.click();
          pending.set(next, more);
          into.append(more);
          return;
        }
        const node = tree.nodes[at];
        const [one, other] = node.slice(2);
        const size = (side) => tree.forks[side] * 2 + (tree.onWay.has(side) ? 1 : 0);
        const [large, small] = size(other) > size(one) ? [other, one] : [one, other];
        const item = el("li", { role: "treeitem", tabindex: "-1" }, row("▸", ...step(node), tree.bar(at), el("span", { class: "counts" }, tree.text(at))));
        items.set(at, item);
        foldable(item, (inner) => chain(small, inner), isSmall || !tree.isFork(small) || tree.onWay.has(small));
        into.append(item);
        at = large;
      }
    }
    const pending = new Map();
    tree.roots.forEach((root) => chain(root, top));
    const visible = () => $$("[role=treeitem]", top).filter((item) => item.offsetParent !== null);
    const focus = (item) => {
      for (const other of $$("[tabindex='0']", top)) other.tabIndex = -1;
      item.tabIndex = 0;
      item.focus();
    };
    if (top.firstElementChild) top.firstElementChild.tabIndex = 0;
    top.addEventListener("click", (event) => {
      const item = event.target.closest("[role=treeitem]");
      if (item && !event.target.closest("a, button")) focus(item);
    });
    top.addEventListener("keydown", (event) => {
      const item = event.target.closest("[role=treeitem]");
      if (!item || event.target.closest("a, button")) return;
      const all = visible();
      const at = all.indexOf(item);
      const isOpen = item.getAttribute("aria-expanded");
      const actions = {
        ArrowDown: () => all[at + 1] && focus(all[at + 1]),
        ArrowUp: () => all[at - 1] && focus(all[at - 1]),
        ArrowRight: () => (isOpen === "false" ? fold(item, true) : isOpen && all[at + 1] && focus(all[at + 1])),
        ArrowLeft: () => {
          const above = item.parentElement.closest("[role=treeitem]");
          if (isOpen === "true") fold(item, false);
          else if (above) focus(above);
        },
        Enter: () => isOpen && fold(item, isOpen !== "true"),
        " ": () => isOpen && fold(item, isOpen !== "true"),
        Home: () => focus(all[0]),
        End: () => focus(all[all.length - 1]),
      };
      if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      actions[event.key]();
    });
    // Unfolds all that is above a node, and goes there.
    const go = (node) => {
      const line = [];
      for (let at = node; at !== -1; at = tree.parent[at]) line.unshift(at);
      for (const at of line) {
        pending.get(at)?.continueTo();
        const item = items.get(at);
        if (item && at !== node && item.getAttribute("aria-expanded") === "false" && !items.has(line[line.indexOf(at) + 1])) fold(item, true);
      }
      for (let item = items.get(node)?.parentElement.closest("[role=treeitem]"); item; item = item.parentElement.closest("[role=treeitem]")) fold(item, true);
      const item = items.get(node);
      if (item) {
        focus(item);
        item.scrollIntoView({ block: "nearest" });
      }
    };
    return [el("div", { class: "tree" }, top), go];
  }

  function relink(part) {
    if (!part) return;
    delete part.dataset.linked;
    linkPlaces(part);
  }

  function drawTree(part) {
    const into = $("[data-tree]", part);
    if (!into || into.firstChild) return;
    forest ??= read("trees");
    const tree = new Tree(read("tree-" + into.dataset.tree), forest.ends, forest.kinds);
    const [made, go] = outline(tree);
    if (tree.nodes.length > 3) into.append(map(tree, go));
    into.append(made);
  }

  // Copying.
  for (const button of $$("[data-copy]")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText($("pre", button.parentElement).textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
  }

  // Dark and light.
  const root = document.documentElement;
  const kept = {
    get: () => { try { return localStorage.getItem("symex-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("symex-theme", value); } catch {} },
  };
  if (kept.get()) root.dataset.theme = kept.get();
  function switchTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    kept.set(root.dataset.theme);
  }
  $("#theme").addEventListener("click", switchTheme);
  $("#help").addEventListener("click", () => $("#keys").showModal());

  // Keys.
  function step(by) {
    if (shown.classList.contains("harness")) {
      const order = rows.filter((row) => !row.hidden).map((row) => $("a", row).getAttribute("href"));
      const at = order.indexOf("#" + shown.id);
      const next = order[at + by];
      if (next) location.hash = next;
      return;
    }
    if (shown.id !== "overview") return;
    const links = rows.filter((row) => !row.hidden).map((row) => $("a", row));
    const at = links.indexOf(document.activeElement);
    (links[at + by] ?? links[at === -1 ? 0 : at])?.focus();
  }
  const back = () => {
    const from = shown.id;
    location.hash = "";
    open("");
    rows.map((row) => $("a", row)).find((link) => link.getAttribute("href") === "#" + from)?.focus();
  };
  const tabs = ["", "coverage", "time", "memory"];
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    if (event.target.matches("input")) {
      if (event.key === "Escape") {
        if (event.target === filter && filter.value) {
          filter.value = "";
          filterRows();
        } else event.target.blur();
        event.preventDefault();
      } else if (event.key === "Enter" && event.target === filter) step(1);
      return;
    }
    const actions = {
      "/": () => { if (shown.id !== "overview") back(); filter.focus(); },
      j: () => step(1),
      k: () => step(-1),
      t: switchTheme,
      "?": () => $("#keys").showModal(),
      Escape: () => { if (shown.id !== "overview") back(); },
    };
    for (const [at, tab] of tabs.entries()) {
      if (!tab || document.getElementById(tab)) actions[at + 1] = () => { location.hash = tab; };
    }
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });

  open(address());
})();
