"use strict";
// What an annotator fills in for one screen, by protocol: a score, marked errors, or ranks. A panel is
// {nodes, first, problem()}: what to show, what gets the focus, and what is still missing, in words, or "".
const cupelPanels = (() => {
  const { make, marking, cut } = cupelText;
  const ENDS = {
    da: ["0: nothing is right", "100: perfect"],
    esa: ["0: no meaning kept", "33: some meaning", "66: most meaning", "100: perfect"],
  };

  // ---- a score from 0 to 100 ------------------------------------------------------------------
  const scale = (sheet, one, change) => {
    const range = make("input", { type: "range", min: 0, max: 100, step: 1, id: "score", "aria-describedby": "place score-ends" });
    const number = make("input", { type: "number", min: 0, max: 100, step: 1, inputmode: "numeric", "aria-label": "Score as a number", placeholder: "–" });
    const box = make("div", { class: "scale" }, range, number);
    const show = () => {
      range.value = one.score ?? 50;
      number.value = one.score ?? "";
      const open = one.score === null || one.score === undefined;
      range.setAttribute("aria-valuetext", open ? "no score yet" : String(one.score));
      box.classList.toggle("open", open);
    };
    const set = (value) => {
      const score = Math.round(Number(value));
      if (value === "" || !Number.isFinite(score) || score < 0 || score > 100) return;
      change(() => { one.score = score; });
      show();
    };
    range.addEventListener("input", () => set(range.value));
    range.addEventListener("pointerup", () => set(range.value));
    range.addEventListener("keydown", (event) => {
      // Without a score yet, the position in the middle is no answer: Space takes it as one.
      if (event.key === " ") { set(range.value); event.preventDefault(); }
    });
    number.addEventListener("change", () => { set(number.value); show(); });
    show();
    const ends = make("div", { class: "ends", id: "score-ends" }, ...ENDS[sheet.protocol].map((end) => make("span", {}, end)));
    const card = make("div", { class: "card" },
      make("h2", {}, make("label", { for: "score" }, "How good is this translation?")),
      box, ends);
    return { nodes: [card], first: range, problem: () => (one.score === null || one.score === undefined ? "Give a score first." : "") };
  };

  // ---- marked errors --------------------------------------------------------------------------
  const described = (sheet, segment, screen, error) => {
    if (error.end === error.start) return "(something is missing)";
    return cut(error.source ? segment.source : screen.options[0].text, error.start, error.end);
  };
  const selector = (label, values, value, set) => {
    const node = make("select", { "aria-label": label }, ...values.map((name) => make("option", { value: name }, name)));
    node.value = value;
    node.addEventListener("change", () => set(node.value));
    return node;
  };
  const errors = (sheet, segment, screen, one, change) => {
    const named = sheet.protocol === "mqm";
    const list = make("ul", { class: "errors", "aria-label": "Marked errors" });
    const bar = make("div", { class: "bar", role: "toolbar", "aria-label": "Mark the chosen words" });
    const texts = [];
    one.errors = one.errors || [];

    const chosen = () => texts.find((text) => text.chosen());
    const refresh = (focus) => {
      texts.forEach((text) => text.draw());
      list.replaceChildren(...one.errors.map((error, at) => {
        const shown = described(sheet, segment, screen, error);
        const remove = make("button", { type: "button", "aria-label": `Remove the mark ${shown}` }, "Remove");
        remove.addEventListener("click", () => { change(() => one.errors.splice(at, 1)); refresh(); texts[texts.length - 1].box.focus(); });
        return make("li", {},
          make("bdi", { dir: "auto" }, shown, error.source ? make("small", {}, " (in the source)") : null),
          selector(`How severe: ${shown}`, sheet.severities, error.severity, (value) => { change(() => { error.severity = value; }); texts.forEach((t) => t.draw()); }),
          named ? selector(`Kind of error: ${shown}`, sheet.categories, error.category, (value) => change(() => { error.category = value; })) : null,
          remove);
      }));
      for (const button of bar.querySelectorAll("[data-severity]")) button.setAttribute("aria-disabled", String(!chosen()));
      if (focus) list.querySelector("li:last-child select:last-of-type")?.focus();
    };
    const mark = (severity) => {
      const text = chosen();
      if (!text) return false;
      const place = text.chosen();
      change(() => one.errors.push({ ...place, severity, category: named ? sheet.categories[0] : "", source: text.source }));
      text.clear();
      refresh();
      return true;
    };
    const missing = () => {
      change(() => one.errors.push({ start: 0, end: 0, severity: sheet.severities.at(-1), category: named ? sheet.omission : "missing", source: false }));
      refresh();
      return true;
    };
    const unmark = (word, source) => {
      const at = one.errors.findLastIndex((e) => word && Boolean(e.source) === source && e.start < word.end && e.end > word.start);
      if (at < 0) return false;
      change(() => one.errors.splice(at, 1));
      refresh();
      return true;
    };
    const key = (source) => (name, word) => {
      const number = Number(name);
      if (Number.isInteger(number) && number >= 1 && number <= sheet.severities.length) return mark(sheet.severities[number - 1]) || true;
      if (name === "m") return missing();
      if (name === "Delete" || name === "Backspace") return unmark(word, source) || true;
      if (name === "c" && named && one.errors.length) { refresh(true); return true; }
      return false;
    };
    const add = (text, language, direction, label, source) => {
      const widget = marking({
        text, language, direction, label, key: key(source),
        errors: () => one.errors.filter((error) => Boolean(error.source) === source),
        change: () => {
          // Words of one text only are chosen at a time.
          if (widget.chosen()) texts.filter((other) => other !== widget && other.chosen()).forEach((other) => other.clear());
          for (const button of bar.querySelectorAll("[data-severity]")) button.setAttribute("aria-disabled", String(!chosen()));
        },
      });
      widget.source = source;
      texts.push(widget);
      return widget.box;
    };
    sheet.severities.forEach((severity, at) => {
      const button = make("button", { type: "button", class: severity, "data-severity": severity, "aria-keyshortcuts": String(at + 1) },
        severity[0].toUpperCase() + severity.slice(1), make("kbd", {}, String(at + 1)));
      button.addEventListener("click", () => mark(severity));
      bar.append(button);
    });
    const lacking = make("button", { type: "button", "aria-keyshortcuts": "m" }, "Something is missing", make("kbd", {}, "M"));
    lacking.addEventListener("click", missing);
    bar.append(lacking);
    return { add, bar, list, refresh };
  };

  // ---- ranks ------------------------------------------------------------------------------------
  const ranking = (sheet, screen, one, change) => {
    one.ranks = one.ranks || {};
    const count = screen.options.length;
    const cards = screen.options.map((option, at) => {
      const name = `rank-${at}`;
      const buttons = Array.from({ length: count }, (_, n) => {
        const input = make("input", { type: "radio", name, value: n + 1 });
        input.checked = one.ranks[option.id] === n + 1;
        input.addEventListener("change", () => change(() => { one.ranks[option.id] = n + 1; }));
        return make("label", {}, input, String(n + 1));
      });
      const card = make("fieldset", {}, make("legend", {}, `Translation ${at + 1}`),
        make("p", { class: "text", lang: sheet.target_language || null, dir: sheet.target_direction }, option.text),
        make("div", { class: "ranks" }, ...buttons));
      card.addEventListener("keydown", (event) => {
        const label = buttons[Number(event.key) - 1];
        if (!label || event.ctrlKey || event.metaKey || event.altKey) return;
        label.firstChild.focus();
        label.firstChild.click();
        event.preventDefault();
      });
      return card;
    });
    const remark = make("p", { class: "remark" }, "1 is the best. Equally good translations get the same number.");
    return {
      nodes: [remark, ...cards],
      first: cards[0].querySelector("input"),
      problem: () => (screen.options.every((option) => one.ranks[option.id]) ? "" : "Give every translation a rank first."),
    };
  };
  return { scale, errors, ranking };
})();
