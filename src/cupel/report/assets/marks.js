"use strict";
// What pages have in common: making nodes, marking differences, drawing alignments.
// Text is only ever set as textContent, so nothing in a corpus can become markup or script.
const cupelMarks = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  const make = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) node.setAttribute(key, "");
      else if (value !== false && value !== null) node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  };
  const draw = (name, attributes, text) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // ---- words and differences ----------------------------------------------------------------
  // A word, or one sign: scripts without spaces are compared letter by letter.
  const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}\p{M}]+)*|[^\s]/gu;
  const words = (text) => [...text.matchAll(WORD)].map((found) => ({ text: found[0], at: found.index }));

  // Longest common subsequence; of very long texts only the equal ends are kept.
  const common = (first, second) => {
    const n = first.length, m = second.length, kept = [];
    let start = 0, end = 0;
    while (start < n && start < m && first[start].text === second[start].text) start++;
    while (end < n - start && end < m - start && first[n - 1 - end].text === second[m - 1 - end].text) end++;
    for (let i = 0; i < start; i++) kept.push([i, i]);
    const rows = n - start - end, columns = m - start - end;
    if (rows * columns <= 4e6 && rows && columns) {
      const width = columns + 1;
      const table = new Uint16Array((rows + 1) * width);
      for (let i = rows - 1; i >= 0; i--) {
        for (let j = columns - 1; j >= 0; j--) {
          table[i * width + j] = first[start + i].text === second[start + j].text
            ? table[(i + 1) * width + j + 1] + 1
            : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
        }
      }
      for (let i = 0, j = 0; i < rows && j < columns;) {
        if (first[start + i].text === second[start + j].text) kept.push([start + i++, start + j++]);
        else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i++;
        else j++;
      }
    }
    for (let i = end; i > 0; i--) kept.push([n - i, m - i]);
    return kept;
  };

  // Of several references the one that shares most words.
  const nearest = (hypothesis, references) => {
    if (references.length === 1) return references[0];
    const ours = words(hypothesis);
    const shared = references.map((text) => common(ours, words(text)).length / Math.max(1, words(text).length));
    return references[shared.indexOf(Math.max(...shared))];
  };

  // The hypothesis with its own words marked, and the reference's missing words where they belong.
  const difference = (hypothesis, reference) => {
    const ours = words(hypothesis), theirs = words(reference);
    const nodes = [];
    let position = 0, i = 0, j = 0;
    const plain = (to) => { if (to > position) nodes.push(hypothesis.slice(position, to)); position = to; };
    for (const [a, b] of [...common(ours, theirs), [ours.length, theirs.length]]) {
      if (j < b) {
        const missing = reference.slice(theirs[j].at, theirs[b - 1].at + theirs[b - 1].text.length);
        if (position && !/\s/.test(hypothesis[position - 1])) nodes.push(" ");
        nodes.push(make("del", {}, missing));
        if (position < hypothesis.length && !/\s/.test(hypothesis[position])) nodes.push(" ");
      }
      if (i < a) {
        plain(ours[i].at);
        const stop = ours[a - 1].at + ours[a - 1].text.length;
        nodes.push(make("ins", {}, hypothesis.slice(position, stop)));
        position = stop;
      }
      if (a < ours.length) plain(ours[a].at + ours[a].text.length);
      i = a + 1;
      j = b + 1;
    }
    plain(hypothesis.length);
    return nodes;
  };

  // ---- the alignment of a metric --------------------------------------------------------------
  const COLOURS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];
  const DASHES = ["none", "6 3", "2 3", "9 3 2 3", "1 4", "12 4"];
  const shorten = (token) => (token.length > 24 ? token.slice(0, 23) + "…" : token);

  const drawAlignment = ([left, right, links], kinds, metric) => {
    const ours = left ? left.split(" ") : [], theirs = right ? right.split(" ") : [];
    const step = 20, top = 30, width = 520, from = 190, to = 330;
    const height = top + step * Math.max(ours.length, theirs.length, 1) + 6;
    const pairs = [];
    for (const [a, b, length, kind, other] of links) {
      if (other === undefined) for (let i = 0; i < length; i++) pairs.push([a + i, b + i, 1, 1, kind]);
      else pairs.push([a, b, length, other, kind]);
    }
    const used = [new Set(), new Set()];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
    svg.append(draw("title", {}, `${metric}: ${pairs.length} links`));
    svg.append(draw("desc", {}, pairs.map(([a, b, n, m, kind]) =>
      `${ours.slice(a, a + n).join(" ")} – ${theirs.slice(b, b + m).join(" ")} (${kinds[kind]})`).join("; ")));
    svg.append(draw("text", { x: from, y: 14, "text-anchor": "end", "font-weight": 600 }, "translation"));
    svg.append(draw("text", { x: to, y: 14, "font-weight": 600 }, "reference"));
    const at = (index) => top + step * index + 10;
    for (const [a, b, n, m, kind] of pairs) {
      for (let i = a; i < a + n; i++) used[0].add(i);
      for (let j = b; j < b + m; j++) used[1].add(j);
      const y1 = (at(a) + at(a + n - 1)) / 2, y2 = (at(b) + at(b + m - 1)) / 2;
      const look = { stroke: `var(${COLOURS[kind % 6]})`, "stroke-dasharray": DASHES[kind % 6] };
      const line = draw("path", { d: `M${from + 10} ${y1}C${from + 60} ${y1} ${to - 60} ${y2} ${to - 10} ${y2}`, ...look });
      line.append(draw("title", {}, kinds[kind]));
      svg.append(line);
      if (n > 1) svg.append(draw("path", { d: `M${from + 6} ${at(a) - 7}h4V${at(a + n - 1) + 7}h-4`, ...look }));
      if (m > 1) svg.append(draw("path", { d: `M${to - 6} ${at(b) - 7}h-4V${at(b + m - 1) + 7}h4`, ...look }));
    }
    ours.forEach((token, i) => svg.append(draw("text",
      { x: from, y: at(i) + 4, "text-anchor": "end", class: used[0].has(i) ? "" : "alone" }, shorten(token))));
    theirs.forEach((token, j) => svg.append(draw("text",
      { x: to, y: at(j) + 4, class: used[1].has(j) ? "" : "alone" }, shorten(token))));
    const key = make("div", { class: "key" });
    for (const kind of new Set(pairs.map((pair) => pair[4]))) {
      const sample = draw("svg", { width: 30, height: 10, "aria-hidden": "true" });
      sample.append(draw("path", { d: "M0 5H30", stroke: `var(${COLOURS[kind % 6]})`, "stroke-dasharray": DASHES[kind % 6] }));
      key.append(make("span", {}, sample, ` ${kinds[kind]}`));
    }
    return [svg, key];
  };

  return { make, words, difference, nearest, drawAlignment };
})();
