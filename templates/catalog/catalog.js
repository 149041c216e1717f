// The catalog's only script. Pages are made of the JSON in this file when they are opened, with createElement and
// textContent alone: no text of the registry is ever read as HTML.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const catalog = JSON.parse(byId("catalog").textContent);
  const table = (object) => new Map(Object.entries(object || {}));
  const messages = table(catalog.messages), services = table(catalog.services), contexts = table(catalog.contexts);
  const urns = [...messages.keys()], places = new Map(urns.map((urn, i) => [urn, i]));
  const main = byId("main"), nav = byId("nav"), query = byId("query"), list = byId("list"), hits = byId("hits");
  const PART = 200;

  // ---- relations that the JSON states once, from the other side
  const push = (map, key, value) => { if (key) map.has(key) ? map.get(key).push(value) : map.set(key, [value]); };
  const later = new Map(), sends = new Map(), receives = new Map(), contextOf = new Map(), owners = new Map(), paths = new Map();
  for (const [urn, m] of messages) {
    if (m.supersedes) later.set(m.supersedes, urn);
    for (const name of m.producers || []) push(sends, name, urn);
    for (const name of m.consumers || []) push(receives, name, urn);
  }
  for (const row of catalog.fields) push(paths, row[0], row);
  const usesOf = (path) => urns.flatMap((urn) => {
    const i = (messages.get(urn).fields || []).find((i) => catalog.fields[i][0] === path);
    return i === undefined ? [] : [[urn, catalog.fields[i]]];
  });
  const meaningOf = (path) => (paths.get(path).find((row) => row[4]) || [])[4];
  const owned = (name, kind, value) => {
    if (!name) return;
    if (!owners.has(name)) owners.set(name, { messages: [], services: [], contexts: [] });
    owners.get(name)[kind].push(value);
  };
  for (const [urn, m] of messages) owned(m.owner, "messages", urn);
  for (const [name, service] of services) owned(service.owner, "services", name);
  for (const [name, context] of contexts) {
    owned(context.owner, "contexts", name);
    for (const urn of context.messages || []) contextOf.set(urn, name);
  }
  const serviceNames = [...new Set([...services.keys(), ...sends.keys(), ...receives.keys()])].sort();
  const ownerNames = [...owners.keys()].sort(), pathNames = [...paths.keys()].sort();
  const details = (urn) => {
    const block = byId("d" + places.get(urn));
    return block ? JSON.parse(block.textContent) : null;
  };
  const within = (inner, outer) => inner.startsWith(outer + ".") || inner.startsWith(outer + "[");
  const touches = (path, field) => !field || path === field || within(path, field) || within(field, path);
  const readsOf = (name, urn) => {
    const reads = (services.get(name) || {}).reads;
    return reads && Object.hasOwn(reads, urn) ? reads[urn] : [];
  };
  const queuesOf = (name) => [...new Set((receives.get(name) || []).map((urn) => messages.get(urn).inboxes[name]))].sort();
  const readers = (urn, field) => (messages.get(urn).consumers || [])
    .filter((name) => readsOf(name, urn).some((path) => touches(path, field)));
  const silent = (urn) => (messages.get(urn).consumers || []).filter((name) => !readsOf(name, urn).length);

  // ---- elements
  const h = (tag, props, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props || {})) {
      if (value === false || value == null) continue;
      if (typeof value === "function") element.addEventListener(name, value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(9).filter((child) => child || child === 0));
    return element;
  };
  const encode = (text) => encodeURIComponent(text).replace(/%3A/g, ":");
  const to = (kind, name, more) => "#/" + kind + (name === undefined ? "" : "/" + encode(name)) + (more || "");
  const link = (shown, ...target) => h("a", { href: to(...target) }, shown);
  const short = (urn) => urn.replace(/^urn:babel:/, "");
  const breakable = (text) => text.split(/(?<=[.:/_])(?=\w)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
  const code = (text) => h("code", null, breakable(text));
  const messageLink = (urn) => (messages.has(urn) ? link(code(short(urn)), "message", urn) : code(short(urn)));
  const serviceLink = (name) => link(name, "service", name);
  const ownerLink = (name) => name && link(name, "owner", name);
  const fieldLink = (path) => (paths.has(path) ? link(code(path), "field", path) : code(path));
  const commas = (nodes) => nodes.flatMap((node, i) => (i ? [", ", node] : [node]));
  const rich = (text) => (text || "").split(/`([^`]*)`/).map((part, i) => (i % 2 ? code(part) : part));
  const prose = (text, kind) => (text || "").split("\n\n").filter(Boolean).map((part) => h("p", { class: kind }, part));
  const web = (address) => address && address.length
    && (address[1] ? h("a", { href: address[1], rel: "noopener noreferrer" }, address[0].replace(/^https?:\/\//i, "")) : address[0]);
  const counted = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
  const badge = (text, kind) => text && h("span", { class: "badge " + (kind || "") }, text);
  const status = (m) => (m.status && m.status !== "active" ? badge(m.status, "warn") : "");
  const source = (text) => {
    const copy = h("button", { type: "button", class: "copy", click: () => navigator.clipboard.writeText(text)
      .then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Press Ctrl+C"; }) }, "Copy");
    return h("div", { class: "code" }, h("pre", { tabindex: "0" }, h("code", null, text)), copy);
  };
  const facts = (pairs) => h("dl", null, pairs.filter(([, value]) => value && value.length !== 0)
    .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
  const section = (id, title, ...content) => [h("h2", { id: "s-" + id }, title), content];

  // A table without its empty columns; long ones grow on demand. Rows are arrays of cells, or {cells, path}.
  function grid(label, head, rows, empty) {
    if (!rows.length) return h("p", { class: "empty" }, empty);
    const filled = (cell) => cell && (!Array.isArray(cell) || cell.flat(9).some(Boolean));
    const cellsOf = (row) => row.cells || row;
    const used = head.map((_, i) => rows.some((row) => filled(cellsOf(row)[i])));
    const body = h("tbody");
    const box = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, h("table", null,
      h("thead", null, h("tr", null, head.filter((_, i) => used[i]).map((name) => h("th", { scope: "col" }, name)))), body));
    const grow = () => {
      const start = body.childElementCount;
      for (const row of rows.slice(start, start + PART)) {
        const tr = h("tr", row.hit && { class: "target" });
        cellsOf(row).forEach((cell, i) => used[i] && tr.append(h("td",
          { "data-label": head[i], class: !i ? "key" : /meaning|description|what/i.test(head[i]) ? "text" : /day|since|kind|change/i.test(head[i]) ? "fixed" : null },
          filled(cell) ? h("div", null, cell) : null)));
        body.append(tr);
      }
      const rest = rows.length - body.childElementCount;
      more.hidden = !rest;
      more.textContent = `Show ${Math.min(PART, rest)} more of ${rows.length.toLocaleString("en")}`;
    };
    const more = h("button", { type: "button", class: "more", click: grow });
    grow();
    return [box, more];
  }
  const messageTable = (names, empty, reader) => grid("Messages", ["Message", "Kind", "Status", "Meaning", "Sent by",
    "Received by", "Fields it reads"], names.map((urn) => {
    const m = messages.get(urn);
    return [messageLink(urn), m.kind, status(m), m.description, commas((m.producers || []).map(serviceLink)),
      commas((m.consumers || []).map(serviceLink)), reader && commas(readsOf(reader, urn).map(fieldLink))];
  }), empty);

  // ---- graphs: Python has laid them out, {layers: [[name, row]...], edges: [[from, to]...], receivers: {name: service}}
  const NODE = [190, 250, 300], GAP = 70, ROW = 36, HIGH = 26;
  function draw(graph, label, self) {
    const svg = (tag, props, ...children) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(props || {})) element.setAttribute(name, value);
      element.append(...children);
      return element;
    };
    const kinds = ["service", graph.kind, "service"], left = [1, 1 + NODE[0] + GAP, 1 + NODE[0] + NODE[1] + 2 * GAP];
    const at = graph.layers.map((layer) => new Map(layer.map(([name, row]) => [name, row * ROW + 6])));
    const rows = Math.max(...graph.layers.flat().map(([, row]) => row)), serviceOf = table(graph.receivers);
    const root = svg("svg", { width: left[2] + NODE[2] + 1, height: rows * ROW + HIGH + 12, role: "group", "aria-label": label });
    graph.edges.forEach((edges, i) => edges.forEach(([from, target]) => {
      const x = left[i] + NODE[i], y = at[i].get(from) + HIGH / 2, end = at[i + 1].get(target) + HIGH / 2;
      root.append(svg("path", { d: `M${x},${y}C${x + GAP / 2},${y} ${x + GAP / 2},${end} ${x + GAP},${end}` }));
    }));
    graph.layers.forEach((layer, i) => layer.forEach(([name]) => {
      const shown = i === 1 ? short(name) : name, most = Math.floor(NODE[i] / 7.6), y = at[i].get(name);
      root.append(svg("a", { href: to(kinds[i], i === 2 && serviceOf.get(name) || name), class: name === self ? "self" : "" },
        svg("title", null, name), svg("rect", { x: left[i], y, width: NODE[i], height: HIGH, rx: 6 }),
        svg("text", { x: left[i] + 10, y: y + 17 }, shown.length > most ? shown.slice(0, most - 1) + "…" : shown)));
    }));
    return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, root);
  }
  function hop(urn) {
    const m = messages.get(urn), before = m.producers || [];
    const receivers = Object.fromEntries(Object.entries(m.inboxes || {})
      .map(([name, queue]) => [queue === name ? name : name + ": " + queue, name]));
    const after = Object.keys(receivers);
    const rows = Math.max(before.length, after.length, 1);
    if (rows > 60 || before.length + after.length === 0) return [];
    const centred = (names) => names.map((name, i) => [name, i + (rows - names.length) / 2]);
    return draw({ kind: "message", layers: [before, [urn], after].map(centred),
      edges: [before.map((name) => [name, urn]), after.map((name) => [urn, name])], receivers }, "Who sends and receives this message", urn);
  }

  // ---- pages: each returns [title, content]
  const crumbs = (...nodes) => h("p", { class: "crumbs" }, nodes.flatMap((node, i) => (i ? [" / ", node] : [node])));
  const missing = (kind, name) => {
    const near = search(name.split(/[^\p{L}\p{N}]+/u).join(" ")).found.slice(0, 5);
    return ["Not found", [h("h1", null, "Not found"), h("p", null, `This registry has no ${kind} `, code(name), "."),
      near.length ? [h("p", null, "Near it:"), h("ul", null, near.map((hit) => h("li", null, h("a", { href: hit.entry.href }, hit.entry.name))))] : null,
      h("p", null, h("a", { href: "#/" }, "To the first page"))]];
  };
  const contextTable = (names) => grid("Contexts", ["Context", "Description", "Owner", "Messages"], names.map((name) => {
    const context = contexts.get(name);
    return [link(name, "context", name), context.description, ownerLink(context.owner), (context.messages || []).length === 1 ? messageLink(context.messages[0]) : String((context.messages || []).length)];
  }), "There is no context yet.");
  const serviceTable = (names) => grid("Services", ["Service", "Language", "Owner", "Description", "Sends", "Receives"], names.map((name) => {
    const service = services.get(name) || {};
    return [serviceLink(name), service.lang, ownerLink(service.owner), service.description,
      String((sends.get(name) || []).length), String((receives.get(name) || []).length)];
  }), "There is no service yet.");
  const attention = () => urns.filter((urn) => messages.get(urn).status === "deprecated")
    .sort((a, b) => (messages.get(a).sunset || "9") < (messages.get(b).sunset || "9") ? -1 : 1);
  const figure = (n, noun, kind) => h("li", null, h("a", { href: to(kind) }, h("b", null, n.toLocaleString("en")), noun + (n === 1 ? "" : "s")));

  const pages = {
    "": () => {
      const old = attention();
      return [catalog.title, [h("h1", null, catalog.title),
        h("p", { class: "lead" }, "What services send each other through queues: for each message what its data looks like, who sends and "
          + "receives it, and how to do so. Search for a message, a field or a service, or start with a context."),
        h("ul", { class: "figures" }, figure(urns.length, "message", "messages"), figure(contexts.size, "context", "contexts"),
          figure(serviceNames.length, "service", "services"), figure(ownerNames.length, "owner", "owners"), figure(pathNames.length, "field", "fields")),
        section("contexts", "Contexts", contextTable([...contexts.keys()])),
        old.length ? section("deprecated", "Going away", grid("Deprecated messages", ["Message", "Last day", "Use instead", "Received by"],
          old.map((urn) => [messageLink(urn), messages.get(urn).sunset || "not stated", later.has(urn) && messageLink(later.get(urn)),
            commas((messages.get(urn).consumers || []).map(serviceLink))]))) : null,
        catalog.graph ? section("map", "Map", h("p", { class: "muted" }, "Senders, ", catalog.graph.kind + "s", ", receivers", catalog.graph.receivers && " and queues other than their inboxes", "."), draw(catalog.graph, "Map of the registry")) : null,
        prose(catalog.note, "muted")]];
    },
    messages: () => ["Messages", [h("h1", null, "Messages"), messageTable(urns, "There is no message yet.")]],
    contexts: () => ["Contexts", [h("h1", null, "Contexts"), contextTable([...contexts.keys()])]],
    services: () => ["Services", [h("h1", null, "Services"), serviceTable(serviceNames)]],
    owners: () => ["Owners", [h("h1", null, "Owners"), grid("Owners", ["Owner", "Messages", "Services", "Contexts"], ownerNames.map((name) => {
      const of = owners.get(name);
      return [ownerLink(name), String(of.messages.length), String(of.services.length), commas(of.contexts.map((c) => link(c, "context", c)))];
    }), "No message, service or context names an owner.")]],
    fields: () => {
      const counts = new Map();
      for (const m of messages.values()) for (const i of m.fields || []) counts.set(catalog.fields[i][0], (counts.get(catalog.fields[i][0]) || 0) + 1);
      return ["Fields", [h("h1", null, "Fields"), h("p", { class: "muted" }, "Each path in the data of a message, and the messages that have it."),
      grid("Fields", ["Field", "Type", "Meaning", "Personal data", "Messages"], pathNames.map((path) => {
        const rows = paths.get(path), all = (i) => [...new Set(rows.map((row) => row[i]).filter(Boolean))];
        return [fieldLink(path), all(1).join(", or "), all(4)[0], all(5).join(", "), String(counts.get(path))];
      }), "No message declares a field.")]];
    },
    personal: () => {
      const marked = urns.flatMap((urn) => (messages.get(urn).personal || []).map(([path, category]) => [urn, path, category]));
      const unsure = urns.filter((urn) => messages.get(urn).personal_incomplete), kinds = new Map();
      for (const [urn, , category] of marked) push(kinds, category || "not stated", urn);
      return ["Personal data", [h("h1", null, "Personal data"),
        h("p", { class: "lead" }, "Every field that the registry marks as personal data, and the services that receive it."),
        grid("Categories", ["Category", "Fields", "Messages"], [...kinds.keys()].sort().map((kind) => [kind, String(kinds.get(kind).length),
          String(new Set(kinds.get(kind)).size)]), "No field is marked as personal data."),
        unsure.length ? h("div", { class: "note" }, h("p", null, "Too large to follow completely, so there may be more fields: ", commas(unsure.map(messageLink)))) : null,
        marked.length ? section("all", "Fields", grid("Personal data", ["Field", "Message", "Category", "Sent by", "Read by", "Received by, fields not stated"],
          marked.map(([urn, path, category]) => {
            const read = readers(urn, path), unstated = silent(urn);
            return [path ? fieldLink(path) : "the whole data", messageLink(urn), category || "not stated", commas((messages.get(urn).producers || []).map(serviceLink)),
              read.length || unstated.length ? commas(read.map(serviceLink)) : "nobody", commas(unstated.map(serviceLink))];
          }))) : null]];
    },
    context: (name) => {
      const context = contexts.get(name);
      if (!context) return missing("context", name);
      const all = context.messages || [], gone = all.filter((urn) => messages.get(urn).status === "retired");
      return [name, [crumbs(link("Contexts", "contexts"), name), h("h1", null, name), prose(context.description, "lead"),
        facts([["Owner", ownerLink(context.owner)], ["Contact", web(context.contact)]]),
        section("messages", "Messages", messageTable(all.filter((urn) => !gone.includes(urn)), "This context has no message yet.")),
        gone.length ? section("retired", "Retired", h("p", { class: "muted" }, "These URNs are never used again."),
          grid("Retired messages", ["Message", "Since", "Meaning"], gone.map((urn) => [messageLink(urn), messages.get(urn).retired_on, messages.get(urn).description]))) : null,
        context.graph ? section("map", "Map", draw(context.graph, "Map of " + name)) : null]];
    },
    service: (name) => {
      if (!serviceNames.includes(name)) return missing("service", name);
      const service = services.get(name);
      return [name, [crumbs(link("Services", "services"), name), h("h1", null, name),
        service ? prose(service.description, "lead") : h("p", { class: "note" }, "Messages name this service, but the registry does not declare it."),
        service ? facts([["Reads", commas(queuesOf(name).map(code))], ["Owner", ownerLink(service.owner)], ["Language", service.lang], ["Contact", web(service.contact)], ["Code", web(service.repo)]]) : null,
        section("sends", "Sends", messageTable(sends.get(name) || [], "It sends no message of this registry.")),
        section("receives", "Receives", messageTable(receives.get(name) || [], "It receives no message of this registry.", name))]];
    },
    owner: (name) => {
      const of = owners.get(name);
      if (!of) return missing("owner", name);
      return [name, [crumbs(link("Owners", "owners"), name), h("h1", null, name),
        section("messages", "Messages", messageTable(of.messages, "It owns no message.")),
        of.services.length ? section("services", "Services", serviceTable(of.services)) : null,
        of.contexts.length ? section("contexts", "Contexts", contextTable(of.contexts)) : null]];
    },
    field: (path) => {
      if (!paths.has(path)) return missing("field", path);
      const uses = usesOf(path);
      const leaf = path.slice(path.search(/[^.[\]]+(\[\d*\])*$/)), alike = pathNames.filter((other) => other !== path && within("." + other, "") && other.endsWith("." + leaf));
      return [path, [crumbs(link("Fields", "fields"), path), h("h1", null, code(path)), prose(meaningOf(path), "lead"),
        grid("Messages with this field", ["Message", "Type", "Required", "Values", "Meaning", "Personal data", "Sent by", "Read by"], uses.map(([urn, row]) => [
          link(code(short(urn)), "message", urn, "?field=" + encode(path)), rich(row[1]), row[2], rich(row[3]), row[4], row[5],
          commas((messages.get(urn).producers || []).map(serviceLink)), commas(readers(urn, path).map(serviceLink))])),
        alike.length ? section("alike", "Fields of the same name", h("ul", null, alike.slice(0, PART).map((other) => h("li", null, fieldLink(other))))) : null]];
    },
    message: messagePage,
    search: (text) => {
      const result = search(text), { found } = result;
      return ["Search", [h("h1", null, "Search"), h("p", { class: "muted" }, said(text, found.length, result)),
        h("ol", { class: "plain" }, found.slice(0, PART).map(({ entry }) => h("li", null, h("a", { href: entry.href }, entry.name), " ",
          h("small", null, entry.kind + (entry.kind === "field" ? " " + about(entry) : "")))))]];
    },
  };

  function messagePage(urn, wanted) {
    const m = messages.get(urn);
    if (!m) return missing("message", urn);
    const d = details(urn), home = contextOf.get(urn), next = later.get(urn);
    const top = [crumbs(link("Messages", "messages"), home && link(home, "context", home), code(short(urn))), h("h1", { class: "urn" }, h("span", null, urn.slice(0, -short(urn).length)), breakable(short(urn)))];
    const past = d && d.history ? section("history", "History", grid("Commits", ["Commit", "Day", "What", "Who"], d.history.map(([id, day, subject, who]) => [code(id), day, subject, who]))) : null;
    if (m.status === "retired") {
      return [short(urn), [top, h("div", { class: "note" }, h("p", null, "Retired" + (m.retired_on ? " on " + m.retired_on : "") + ". This URN is never used again.")), prose(m.description), past]];
    }
    const instead = next ? [" Use ", messageLink(next), " instead."] : [];
    const warning = m.status === "deprecated" ? ["Deprecated.", m.sunset ? ` It goes away on ${m.sunset}.` : "", instead]
      : m.status === "draft" ? ["Draft. Do not depend on it yet: any part of it may still change."] : next ? ["Superseded.", instead] : null;
    const parts = !d ? [section("wait", "Loading", h("p", { class: "muted" }, "The rest of this file is still loading."))] : [
      section("fields", "Fields", fieldTable(urn, wanted)),
      section("use", "Who uses it", hop(urn), useTable(urn)),
      section("examples", "Examples", (d.examples || []).map(source), d.examples ? null : h("p", { class: "empty" }, "The registry has no example of it."),
        d.more_examples ? h("p", { class: "muted" }, d.more_examples + " more in ", code(d.file), ".") : null,
        d.refused ? [h("h3", null, "What is refused"), d.refused.map(([why, text]) => [h("p", null, why), source(text)])] : null),
      d.send || d.handle ? section("code", "Send and handle it", [["Send", d.send], ["Handle", d.handle]].map(([title, examples]) => examples ? [h("h3", null, title), examples.map(([language, command, text]) => [
        h("p", { class: "muted" }, "In ", language, ", with what ", code(command), " writes:"), source(text)])] : null)) : null,
      section("wire", "On the wire", h("p", { class: "muted" }, "On the queue it is one JSON object, whatever the language of its producer."),
        source(envelope(urn, m, d)), (d.wires || []).map(([title, about, text]) => [h("h3", null, title), h("p", null, rich(about)), text ? source(text) : null])),
      d.columns ? section("table", "As a table", h("p", { class: "muted" }, "The columns that ", code("babelreg lake ingest"), " fills."), source(d.columns),
        d.notes ? h("ul", null, d.notes.map((note) => h("li", null, rich(note)))) : null) : null,
      m.supersedes || next ? section("versions", "Versions", versions(urn, m, d)) : null,
      past,
    ];
    const toc = parts.flat(9).filter((node) => node instanceof Element && node.tagName === "H2");
    return [short(urn), [top, h("div", { class: "badges" }, badge(m.kind), badge(m.status, m.status === "active" ? "good" : "warn"), m.personal ? badge("personal data", "warn") : null),
      warning ? h("div", { class: "note" }, h("p", null, warning)) : null, prose(m.description, "lead"),
      facts([["Owner", ownerLink(m.owner)], ["Queue", m.queue && code(m.queue)], ["Delivery", d && d.delivery], ["Also sent as", m.aliases && m.aliases.map((name, i) => [i ? ", " : "", code(name)])], ["File", d && d.file && code(d.file)]]),
      h("ul", { class: "toc", "aria-label": "On this page" }, toc.map((node) => h("li", null, link(node.textContent, "message", urn, "?at=" + node.id.slice(2))))), parts]];
  }
  function fieldTable(urn, wanted) {
    const m = messages.get(urn), rows = (m.fields || []).map((i) => catalog.fields[i]);
    return grid("Fields", ["Field", "Type", "Required", "Values", "Meaning", "Personal data", "Sent", "Read by"], rows.map((row, i) => ({
      hit: row[0] === wanted.get("field"),
      cells: [[fieldLink(row[0]), h("a", { class: "anchor", href: to("message", urn, "?field=" + encode(row[0])), "aria-label": "Link to field " + row[0] }, "#")],
        rich(row[1]), row[2] === "yes" ? h("strong", null, "yes") : row[2], rich(row[3]), row[4], row[5], rich((m.sent || [])[i] || ""), commas(readers(urn, row[0]).map(serviceLink))],
    })), "Its schema declares no fields.");
  }
  function useTable(urn) {
    const m = messages.get(urn), row = (name, role, queue, reads) => {
      const service = services.get(name) || {}, expects = Object.entries(reads && service.expects && service.expects[urn] || {});
      return [serviceLink(name), role, queue && code(queue), service.lang, ownerLink(service.owner), reads, expects.map(([path, text]) => h("div", null, code(path), ": ", code(text)))];
    };
    return grid("Services", ["Service", "Role", "Queue", "Language", "Owner", "Fields it reads", "What it expects"], [
      ...(m.producers || []).map((name) => row(name, "sends", m.queue)),
      ...(m.consumers || []).map((name) => row(name, "receives", m.inboxes[name], readsOf(name, urn).length ? commas(readsOf(name, urn).map(fieldLink)) : "not stated")),
    ], "No service declares that it sends or receives this message.");
  }
  function envelope(urn, m, d) {
    const shared = catalog.envelope, text = JSON.stringify;
    return ["{", `  "job": ${text(urn)},`, `  "trace_id": ${text(shared.trace_id)},`, `  "data": ${(d.examples ? d.examples[0] : "{}").replace(/\n/g, "\n  ")},`,
      '  "meta": {', `    "id": ${text(shared.id)},`, `    "queue": ${text(m.queue || "default")},`, `    "lang": ${text(d.lang)},`, '    "schema_version": 1,',
      `    "created_at": ${shared.created_at}`, "  },", '  "attempts": 0', "}"].join("\n");
  }
  function versions(urn, m, d) {
    let first = urn;
    const chain = [], seen = new Set();
    while (messages.has((messages.get(first) || {}).supersedes) && !seen.has(first)) { seen.add(first); first = messages.get(first).supersedes; }
    for (let at = first; at && messages.has(at) && !chain.includes(at); at = later.get(at)) chain.push(at);
    const old = messages.get(m.supersedes);
    return [h("ul", null, chain.map((other) => h("li", null, other === urn ? h("strong", null, code(short(other))) : messageLink(other), " ", status(messages.get(other))))),
      m.supersedes && !old ? h("p", null, "Supersedes ", code(m.supersedes), ".") : null,
      old && old.fields ? [h("h3", null, "Changes since ", code(short(m.supersedes))), changes(d.changes || [])] : null,
      d.comparison ? [h("h3", null, "Compatibility"), verdict("Consumers of this version can read messages of the earlier one", d.comparison.backward),
        verdict("Consumers of the earlier version can read messages of this one", d.comparison.forward)] : null,
      d.upcast ? [h("h3", null, "Upcast"), h("p", { class: "muted" }, "Data of the earlier version becomes data of this one in these steps."),
        h("ol", null, d.upcast.map((step) => h("li", null, rich(step))))] : null];
  }
  function verdict(claim, { kind, witness, reason, pointer }) {
    const shown = { compatible: ["good", "Yes, proved."], breaking: ["bad", "No."], unknown: ["", "Not decided."] }[kind];
    return h("div", { class: "note " + shown[0] }, h("p", null, h("strong", null, claim + ": "), shown[1], " ", rich(reason), pointer ? [" (", code(pointer), ")"] : null),
      witness === undefined ? null : [h("p", null, "This data shows it:"), source(witness)]);
  }
  const CHANGE = { added: "good", removed: "bad" };
  function changes(rows) {
    return grid("Changes", ["Field", "Change", "Difference"],
      rows.map(([path, kind, lines]) => [path && code(path), badge(kind, CHANGE[kind]), lines.map((line) => h("div", null, line))]), "The fields are the same.");
  }

  // ---- search: every word of the query must occur; where it occurs decides the rank
  const WEIGHT = { name: 40, fields: 16, people: 8, text: 2 }, KIND = { message: 4, page: 4, context: 3, service: 3, field: 2, owner: 1 };
  let index = null;
  function entries() {
    if (index) return index;
    const low = (...texts) => texts.filter(Boolean).join(" ").toLowerCase();
    const rows = catalog.fields.map((row) => ({ path: row[0].toLowerCase(), text: low(row[1], row[3], row[4], row[5]) }));
    const all = urns.map((urn) => {
      const m = messages.get(urn);
      return { kind: "message", name: short(urn), href: to("message", urn), low: low(urn, ...(m.aliases || [])), about: m.description || "", fields: m.fields || [],
        people: low(m.owner, ...(m.producers || []), ...(m.consumers || [])), text: low(m.description, m.kind, m.status, m.queue) };
    });
    const plain = (kind, name, about, more) => all.push({ kind, name, href: to(kind, name), low: name.toLowerCase(), about: about || "", fields: [], people: low(more), text: low(about) });
    for (const name of pathNames) plain("field", name, meaningOf(name));
    for (const [name, context] of contexts) plain("context", name, context.description, context.owner);
    for (const name of serviceNames) plain("service", name, (services.get(name) || {}).description, (services.get(name) || {}).owner);
    for (const name of ownerNames) plain("owner", name);
    const page = (name, target, about) => all.push({ kind: "page", name, href: to(target), low: name.toLowerCase(), about, fields: [], people: "", text: "" });
    page("Messages", "messages", "Every message"); page("Fields", "fields", "Every field, and the messages that have it");
    page("Services", "services", "Every service, with what it sends and receives"); page("Owners", "owners", "Every owner");
    page("Personal data", "personal", "The fields with personal data, and who receives them");
    index = { all, rows };
    return index;
  }
  const boundary = (text, at) => at === 0 || !/[a-z0-9]/.test(text[at - 1]);
  function inName(name, word) {
    let at = name.indexOf(word);
    if (at < 0) return 0;
    if (name === word) return 4;
    for (; at >= 0; at = name.indexOf(word, at + 1)) {
      if (boundary(name, at)) return at + word.length === name.length || boundary(name, at + word.length + 1) ? 3 : 2;
    }
    return 1;
  }
  // Where a field is: two of its messages by name.
  function about(entry) {
    if (entry.kind !== "field") return entry.about;
    const all = usesOf(entry.name).map(([urn]) => short(urn)), more = all.length - 2;
    return "in " + all.slice(0, 2).join(more > 0 ? ", " : " and ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : "") + (entry.about ? ": " + entry.about : "");
  }
  // With `some`, entries in which not every word occurs too, by the number of words.
  function ranked(words, some = false) {
    const { all, rows } = entries();
    const inRows = words.map((word) => Uint8Array.from(rows, (row) => (row.path.includes(word) ? 2 : row.text.includes(word) ? 1 : 0)));
    const found = [];
    for (const entry of all) {
      let score = 0;
      for (let i = 0; i < words.length; i++) {
        const named = inName(entry.low, words[i]);
        let best = named ? WEIGHT.name + 10 * named : 0;
        if (!best) for (const row of entry.fields) { if (inRows[i][row] === 2) { best = WEIGHT.fields; break; } if (inRows[i][row]) best = WEIGHT.text; }
        if (best < WEIGHT.people && entry.people.includes(words[i])) best = WEIGHT.people;
        if (!best && entry.text.includes(words[i])) best = WEIGHT.text;
        if (!best && !some) { score = 0; break; }
        score += best && some ? best + 1000 : best;
      }
      if (score) found.push({ entry, score: score + KIND[entry.kind] - entry.name.length / 100 });
    }
    return found.sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1));
  }
  // Optimal string alignment, given up beyond `most`.
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let before = [], row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      if (Math.min(...next) > most) return most + 1;
      [before, row] = [row, next];
    }
    return row[b.length];
  }
  let vocabulary = null;
  function nearest(word) {
    vocabulary ||= [...new Set(entries().all.flatMap((entry) => (entry.low + " " + entry.people).split(/[^a-z0-9]+/)))].filter((known) => known.length > 2).sort();
    let most = word.length < 5 ? 1 : 2, best = word;
    for (const known of vocabulary) {
      const far = distance(word, known, most);
      if (far <= most && (best === word || far < most)) { best = known; most = far; }
    }
    return best;
  }
  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return { found: [] };
    const found = ranked(words);
    if (found.length) return { found };
    const other = words.map((word) => (ranked([word]).length ? word : nearest(word)));
    const near = other.join(" ") === words.join(" ") ? [] : ranked(other);
    if (near.length || words.length === 1) return near.length ? { found: near, instead: other.join(" ") } : { found };
    return { found: ranked(words, true), some: true };
  }
  const said = (text, n, { instead, some }) => (some && n ? `Nothing matches all words of “${text}”. ${counted(n, "result")} for some of them.` : instead && n ? `Nothing matches “${text}”. ${counted(n, "result")} for “${instead}”.` : n ? `${counted(n, "result")} for “${text}”.` : `Nothing matches “${text}”.`);

  let active = -1;
  function close() { hits.hidden = true; active = -1; query.setAttribute("aria-expanded", "false"); query.removeAttribute("aria-activedescendant"); }
  function suggest() {
    const text = query.value.trim();
    if (!text) return close();
    const result = search(text), { found } = result;
    list.replaceChildren(...found.slice(0, 12).map(({ entry }, i) => h("a", { class: "hit", role: "option", id: "hit" + i, tabindex: "-1", href: entry.href, "aria-selected": "false" },
      h("b", null, entry.name), h("span", null, entry.kind), h("span", { class: "about" }, about(entry)))));
    hits.hidden = false;
    // Only results that are visible as a whole: the page of all results has the others.
    while (list.children.length > 1 && list.scrollHeight > list.clientHeight) list.lastChild.remove();
    byId("tip").textContent = said(text, found.length, result) + (found.length > list.children.length ? " Enter shows them all." : "");
    active = -1;
    query.setAttribute("aria-expanded", "true");
    query.removeAttribute("aria-activedescendant");
  }
  function choose(step) {
    const options = [...list.children];
    if (!options.length) return;
    if (active >= 0) options[active].setAttribute("aria-selected", "false");
    active = (active + step + options.length + (active < 0 && step < 0 ? 1 : 0)) % options.length;
    options[active].setAttribute("aria-selected", "true");
    options[active].scrollIntoView({ block: "nearest" });
    query.setAttribute("aria-activedescendant", options[active].id);
  }
  query.addEventListener("input", suggest);
  query.addEventListener("focus", () => query.value && suggest());
  query.addEventListener("blur", close);
  query.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); hits.hidden ? suggest() : choose(event.key === "ArrowDown" ? 1 : -1); }
    else if (event.key === "Escape") { hits.hidden ? query.blur() : close(); }
    else if (event.key === "Enter" && query.value.trim()) {
      go(active >= 0 ? list.children[active].getAttribute("href") : to("search", query.value.trim()));
    }
  });
  hits.addEventListener("mousedown", (event) => event.preventDefault());
  hits.addEventListener("click", () => { close(); query.blur(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && document.activeElement !== query) { event.preventDefault(); query.focus(); query.select(); }
  });

  // ---- navigation
  function go(href) { close(); query.blur(); fresh = true; if (location.hash === href) show(); else location.hash = href; }
  let fresh = true, shown = "";
  const kept = new Map();
  function route() {
    const [path, more] = location.hash.replace(/^#\/?/, "").split("?");
    const [kind, ...rest] = path.split("/");
    const name = rest.join("/");
    try { return [kind, decodeURIComponent(name), new URLSearchParams(more || "")]; } catch { return [kind, name, new URLSearchParams()]; }
  }
  function navigation(kind, name) {
    const item = (text, n, here, ...target) => h("li", null, h("a", { href: to(...target), "aria-current": here ? "page" : false }, h("span", null, text), n === null ? null : h("small", null, n.toLocaleString("en"))));
    const top = [["Start", null, ""], ["Messages", urns.length, "messages"], ["Fields", pathNames.length, "fields"], ["Services", serviceNames.length, "services"],
      ["Owners", ownerNames.length, "owners"], ["Personal data", null, "personal"]];
    const home = kind === "message" ? contextOf.get(name) : kind === "context" ? name : null;
    nav.replaceChildren(h("ul", null, top.map(([text, n, target]) => item(text, n, kind === target, target))), h("h2", null, "Contexts"),
      h("ul", null, [...contexts].map(([other, context]) => {
        const all = context.messages || [], at = all.indexOf(name), from = Math.max(0, Math.min(at - 15, all.length - 30));
        const li = item(other, all.length, kind === "context" && other === name, "context", other);
        if (other === home && all.length) li.append(h("ul", null, all.slice(from, from + 30).map((urn) => item(short(urn).replace(other + ":", ""), null, urn === name, "message", urn)),
          all.length > 30 ? item("All " + all.length.toLocaleString("en"), null, false, "context", other) : null));
        return li;
      })));
  }
  function show() {
    kept.set(shown, scrollY);
    shown = location.hash;
    const [kind, name, wanted] = route();
    const [title, content] = Object.hasOwn(pages, kind) ? pages[kind](name, wanted) : missing("page", kind);
    main.replaceChildren(...[content].flat(9).filter(Boolean));
    document.title = title === catalog.title ? title : title + " – " + catalog.title;
    byId("status").textContent = title;
    navigation(kind, name);
    menu(false);
    const aim = wanted.get("at") ? byId("s-" + wanted.get("at")) : main.querySelector("tr.target");
    if (!fresh) scrollTo(0, kept.get(shown) || 0);
    else if (aim) aim.scrollIntoView({ block: wanted.get("at") ? "start" : "center" });
    else scrollTo(0, 0);
    if (fresh && document.activeElement !== query) main.focus({ preventScroll: true });
    fresh = false;
  }
  const menu = (open) => { nav.classList.toggle("open", open); byId("menu").setAttribute("aria-expanded", String(open)); };
  byId("menu").addEventListener("click", () => menu(!nav.classList.contains("open")));
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  document.addEventListener("click", (event) => { const a = event.target.closest("a[href^='#']"); if (a && a.id !== "skip") { fresh = true; if (a.getAttribute("href") === location.hash) show(); } });
  addEventListener("hashchange", show);
  show();
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => { if (route()[0] === "message") { fresh = true; show(); } });
  (window.requestIdleCallback || setTimeout)(() => nearest("x"));
})();
