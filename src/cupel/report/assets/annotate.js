"use strict";
// The pages of an annotator: instructions, one screen for each task, the end. Text is only ever set as
// textContent, so nothing in a corpus can become markup or script. Nothing is sent anywhere.
(() => {
  const { make } = cupelText;
  const sheet = JSON.parse(document.getElementById("sheet").textContent);
  const store = cupelStore.open(sheet);
  const byId = (id) => document.getElementById(id);
  const total = sheet.screens.length;
  const history = [];
  let panel = null, since = 0, dirty = false;

  // ---- what is kept -------------------------------------------------------------------------------
  const announce = (sentence) => { byId("status").textContent = sentence; };
  const keep = () => {
    dirty = true;
    byId("storage").hidden = store.keep();
    const done = store.finished().length;
    byId("done").value = done;
    byId("count").textContent = `${done} of ${total} done`;
  };
  const current = () => {
    const screen = sheet.screens[store.state.at];
    return (store.state.judgments[screen.id] ||= { ms: 0 });
  };
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const change = (act) => {
    const screen = sheet.screens[store.state.at];
    history.push({ at: store.state.at, before: copy(current()) });
    if (history.length > 500) history.shift();
    act();
    if (store.state.judgments[screen.id].at) store.state.judgments[screen.id].at = new Date().toISOString();
    announce("");
    keep();
  };
  const undo = () => {
    const last = history.pop();
    if (!last) return announce("There is nothing to undo.");
    stop();
    store.state.judgments[sheet.screens[last.at].id] = last.before;
    store.state.at = last.at;
    keep();
    show();
    announce("The last change was undone.");
  };
  // Time counts while the page is visible.
  const stop = () => {
    if (since && store.state.at >= 0 && store.state.at < total) current().ms = (current().ms || 0) + performance.now() - since;
    since = 0;
  };
  const start = () => { since = document.hidden ? 0 : performance.now(); };
  document.addEventListener("visibilitychange", () => {
    stop();
    if (document.hidden) store.keep();
    else start();
  });
  addEventListener("beforeunload", (event) => {
    stop();
    if (!store.keep() && dirty) event.preventDefault();
  });

  // ---- one screen ---------------------------------------------------------------------------------
  const plain = (label, text, language, direction) => make("div", { class: "card" }, make("h2", {}, label),
    make("p", { class: "text", lang: language || null, dir: direction }, text));
  const contextOf = (screen) => {
    if (!screen.context.length) return null;
    const rows = screen.context.flatMap(([source, translation]) => [
      make("dt", { lang: sheet.source_language || null, dir: sheet.source_direction }, source),
      make("dd", { lang: sheet.target_language || null, dir: sheet.target_direction }, translation || ""),
    ]);
    return make("details", { class: "context card", open: matchMedia("(min-width: 40rem)").matches },
      make("summary", {}, "Before this, in the same document"), make("dl", {}, ...rows));
  };
  const marked = (screen, segment, one) => {
    const marks = cupelPanels.errors(sheet, segment, screen, one, change);
    const inSource = sheet.protocol === "mqm";
    const source = inSource
      ? make("div", { class: "card" }, make("h2", {}, "Source"), marks.add(segment.source, sheet.source_language, sheet.source_direction, "Source: choose words to mark an error there", true))
      : plain("Source", segment.source, sheet.source_language, sheet.source_direction);
    const text = marks.add(screen.options[0].text, sheet.target_language, sheet.target_direction, "Translation: choose the words of an error", false);
    const target = make("div", { class: "card" }, make("h2", {}, "Translation"), text, marks.bar, marks.list);
    const scale = sheet.protocol === "esa" ? cupelPanels.scale(sheet, one, change) : { nodes: [], problem: () => "" };
    marks.refresh();
    return { nodes: [source, ...reference(segment), target, ...scale.nodes], first: text, problem: scale.problem };
  };
  const reference = (segment) => (segment.reference
    ? [plain("A correct translation, for comparison", segment.reference, sheet.target_language, sheet.target_direction)] : []);
  const panelOf = (screen) => {
    const segment = sheet.segments[screen.segment], one = current();
    if (sheet.protocol === "esa" || sheet.protocol === "mqm") return marked(screen, segment, one);
    const source = plain("Source", segment.source, sheet.source_language, sheet.source_direction);
    if (sheet.protocol === "ranking") {
      const ranks = cupelPanels.ranking(sheet, screen, one, change);
      return { ...ranks, nodes: [source, ...reference(segment), ...ranks.nodes] };
    }
    const scale = cupelPanels.scale(sheet, one, change);
    const target = plain("Translation", screen.options[0].text, sheet.target_language, sheet.target_direction);
    return { ...scale, nodes: [source, ...reference(segment), target, ...scale.nodes] };
  };
  const commentOf = (one) => {
    const field = make("input", { type: "text", id: "comment", autocomplete: "off" });
    field.value = one.comment || "";
    field.addEventListener("change", () => change(() => { one.comment = field.value; }));
    return make("label", { class: "field" }, "Comment (optional)", field);
  };

  const VIEWS = ["start", "work", "end"];
  const view = (name) => { for (const one of VIEWS) byId(one).hidden = one !== name; };
  const show = () => {
    const at = store.state.at;
    announce("");
    if (at < 0) return view("start");
    if (at >= total) {
      const left = total - store.finished().length;
      byId("left").textContent = left ? `${left} of ${total} tasks are not done yet.` : "All tasks are done. Thank you!";
      byId("unfinished").hidden = !left;
      view("end");
      return byId("end-title").focus();
    }
    const screen = sheet.screens[at];
    panel = panelOf(screen);
    byId("screen").replaceChildren(...[contextOf(screen), ...panel.nodes, commentOf(current())].filter(Boolean));
    byId("place").textContent = `Task ${at + 1} of ${total}`;
    byId("back").disabled = at === 0;
    view("work");
    if (!panel.first.hasAttribute("aria-describedby")) panel.first.setAttribute("aria-describedby", "place");
    panel.first.focus({ preventScroll: true });
    scrollTo(0, 0);
    start();
  };
  const go = (to) => {
    stop();
    store.state.at = Math.max(0, Math.min(total, to));
    keep();
    show();
  };
  const next = () => {
    const problem = panel.problem();
    if (problem) {
      announce(problem);
      return false;
    }
    current().at ||= new Date().toISOString();
    go(store.state.at + 1);
    return true;
  };
  const firstOpen = () => {
    const at = sheet.screens.findIndex((screen) => !store.state.judgments[screen.id]?.at);
    return at < 0 ? total : at;
  };

  // ---- files --------------------------------------------------------------------------------------
  const save = () => {
    stop();
    start();
    if (!store.state.name) {
      view("start");
      byId("name").focus();
      return;
    }
    const link = make("a", {
      href: URL.createObjectURL(new Blob([store.written()], { type: "application/json" })),
      download: `${sheet.name}-${store.state.name.replace(/[^\p{L}\p{N}_-]+/gu, "_")}.json`,
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    dirty = false;
    announce(`Saved ${store.finished().length} of ${total} judgments in the folder of downloads.`);
  };
  const load = async () => {
    const file = byId("load").files[0];
    if (!file) return;
    byId("loaded").textContent = store.read(await file.text());
    byId("name").value = store.state.name;
    byId("load").value = "";
    keep();
  };

  // ---- buttons and keys -----------------------------------------------------------------------------
  byId("begin").addEventListener("submit", (event) => {
    event.preventDefault();
    store.state.name = byId("name").value.trim();
    if (!store.state.name) return byId("name").focus();
    go(firstOpen());
  });
  byId("next").addEventListener("click", next);
  byId("back").addEventListener("click", () => go(store.state.at - 1));
  byId("undo").addEventListener("click", undo);
  byId("unfinished").addEventListener("click", () => go(firstOpen()));
  byId("again").addEventListener("click", () => go(total - 1));
  for (const button of document.querySelectorAll(".save")) button.addEventListener("click", save);
  byId("load").addEventListener("change", load);
  document.addEventListener("keydown", (event) => {
    if (byId("work").hidden) return;
    const writing = event.target.matches("input[type=text], input[type=number], select, textarea");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !writing) {
      event.preventDefault();
      undo();
    } else if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      next();
    } else if (event.key === "Enter" && !event.target.closest("button, select, summary, a")) {
      event.preventDefault();
      if (writing) event.target.blur(); // takes what was typed
      if (!next() && writing) event.target.focus();
    }
  });
  byId("name").value = store.state.name;
  byId("done").max = total;
  keep();
  dirty = false;
  if (store.state.at >= 0 && !store.state.name) store.state.at = -1;
  show();
  document.documentElement.dataset.ready = "yes";
})();
