"use strict";
// A text whose words can be chosen by mouse, finger or keyboard, and marked as errors. Places are counted
// in characters (code points), as Python counts them, not in the units of JavaScript's strings.
const cupelText = (() => {
  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };

  // [{text, start, end, word}]: words, signs and the blanks between them; joined they are the text.
  const pieces = (text, language) => {
    let parts;
    try {
      const segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
      parts = [...segmenter.segment(text)].map((one) => one.segment);
    } catch {
      parts = text.match(/\s+|[\p{L}\p{N}\p{M}]+|[^\s]/gu) || [];
    }
    let place = 0;
    return parts.map((part) => {
      const start = place;
      place += [...part].length;
      return { text: part, start, end: place, word: part.trim() !== "" };
    });
  };

  const RANK = { neutral: 1, minor: 2, major: 3, critical: 4 };
  let count = 0;

  // options: text, language, direction, label, errors() -> [{start, end, severity}], change(): what to
  // do when the choice of words changes, key(name): a key that is not about choosing; true if used.
  const marking = (options) => {
    const id = `text-${(count += 1)}`;
    const tokens = pieces(options.text, options.language).map((piece) => {
      if (!piece.word) return { ...piece, node: make("span", { role: "presentation" }, piece.text) };
      const node = make("span", { role: "option", "aria-selected": "false", id: `${id}-${piece.start}` }, piece.text);
      return { ...piece, node };
    });
    const words = tokens.filter((token) => token.word);
    const box = make("div", {
      class: "text", role: "listbox", "aria-multiselectable": "true", tabindex: 0, "aria-label": options.label,
      lang: options.language || null, dir: options.direction || "auto",
    }, ...tokens.map((token) => token.node));
    let anchor = -1, here = -1, dragging = false;

    const chosen = () => {
      if (anchor < 0) return null;
      const [first, last] = anchor <= here ? [anchor, here] : [here, anchor];
      return { start: words[first].start, end: words[last].end };
    };
    const draw = () => {
      const choice = chosen();
      const errors = options.errors().filter((error) => error.end > error.start);
      for (const token of tokens) {
        const inside = errors.filter((error) => error.start < token.end && error.end > token.start);
        const worst = inside.reduce((most, error) => (RANK[error.severity] > (RANK[most] || 0) ? error.severity : most), "");
        const selected = Boolean(choice && token.start >= choice.start && token.end <= choice.end);
        const marks = [worst, selected ? "chosen" : "", here >= 0 && token === words[here] ? "here" : ""];
        token.node.className = marks.filter(Boolean).join(" ");
        if (!token.word) continue;
        token.node.setAttribute("aria-selected", String(selected));
        if (worst) token.node.setAttribute("aria-description", `${worst} error`);
        else token.node.removeAttribute("aria-description");
      }
      if (here >= 0) box.setAttribute("aria-activedescendant", words[here].node.id);
      else box.removeAttribute("aria-activedescendant");
    };
    const choose = (from, to) => {
      anchor = from;
      here = to;
      draw();
      options.change();
    };
    const clear = () => {
      anchor = -1;
      draw();
      options.change();
    };

    const wordAt = (target) => words.findIndex((word) => word.node === target);
    // The first click chooses a word, the second one all words up to there; dragging does both.
    let before = null;
    box.addEventListener("pointerdown", (event) => {
      const at = wordAt(event.target);
      if (at < 0 || event.button > 0) return;
      before = { at, anchor };
      dragging = event.pointerType !== "touch";
      if (dragging && anchor < 0) choose(at, at);
    });
    box.addEventListener("pointerover", (event) => {
      const at = wordAt(event.target);
      if (!dragging || !before || at < 0 || event.buttons === 0 || at === before.at) return;
      before.moved = true;
      choose(before.at, at);
    });
    box.addEventListener("click", (event) => {
      const at = wordAt(event.target);
      const press = before;
      dragging = false;
      before = null;
      if (press && press.moved) return;
      if (at < 0) return clear();
      const choice = press && press.anchor >= 0 ? chosen() : null;
      if (!choice) choose(at, at);
      else if (words[at].start >= choice.start && words[at].end <= choice.end) clear();
      else choose(anchor, at);
    });
    box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !words.length) return;
      const forward = getComputedStyle(box).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
      const backward = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
      const last = words.length - 1;
      let to = null;
      if (event.key === forward) to = Math.min(last, here + 1);
      else if (event.key === backward) to = Math.max(0, here - 1);
      else if (event.key === "Home") to = 0;
      else if (event.key === "End") to = last;
      if (to !== null) {
        choose(event.shiftKey && anchor >= 0 ? anchor : to, to);
      } else if (event.key === " ") {
        choose(Math.max(0, here), Math.max(0, here));
      } else if (event.key === "Escape" && anchor >= 0) {
        clear();
      } else if (!options.key(event.key, here >= 0 ? words[here] : null)) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
    draw();
    return { box, draw, clear, chosen };
  };

  const cut = (text, start, end) => [...text].slice(start, end).join("");
  return { make, marking, cut };
})();
