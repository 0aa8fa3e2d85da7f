"use strict";
// The page works without this script; with it, tables sort and the segment browser appears.
// Text is only ever set as textContent, so nothing in a corpus can become markup or script.
(() => {
  const PAGE = 20;
  const { make, words, difference, nearest, drawAlignment } = cupelMarks;

  // ---- tables -------------------------------------------------------------------------------
  const sortTable = (table, column, header) => {
    const falling = header.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const key = (row) => {
      const cell = row.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    const compare = (a, b) =>
      typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
    rows.sort((a, b) => (falling ? compare(b[0], a[0]) : compare(a[0], b[0])));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = make("button", { type: "button" }, header.textContent);
      header.replaceChildren(button);
      button.addEventListener("click", () => sortTable(table, column, header));
    });
  }

  // The keyboard stops at what scrolls by itself, and only at that.
  const stops = () => {
    for (const node of document.querySelectorAll(".scroll")) {
      if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
      else node.removeAttribute("tabindex");
    }
  };
  stops();
  addEventListener("resize", stops);

  // ---- the segment browser ----------------------------------------------------------------------
  const choice = (label, options, selected) => {
    const select = make("select", {}, ...options.map(([value, text]) =>
      make("option", { value, selected: String(value) === String(selected) }, text)));
    return [make("label", {}, label, select), select];
  };
  const check = (label, checked) => {
    const box = make("input", { type: "checkbox", checked });
    return [make("label", { class: "check" }, box, label), box];
  };
  const field = (label, type, placeholder) => {
    const input = make("input", { type, placeholder, min: type === "number" ? 0 : null, autocomplete: "off" });
    return [make("label", {}, label, input), input];
  };

  // Where each segment stands among all under a metric, from 0 (worst) to 1 (best); ties share.
  const standing = (values, higher) => {
    const order = values.map((_, i) => i).sort((a, b) => (higher ? values[a] - values[b] : values[b] - values[a]));
    const ranks = new Float64Array(values.length);
    for (let i = 0; i < order.length;) {
      let j = i;
      while (j + 1 < order.length && values[order[j + 1]] === values[order[i]]) j++;
      for (let k = i; k <= j; k++) ranks[order[k]] = (i + j) / 2 / Math.max(1, order.length - 1);
      i = j + 1;
    }
    return ranks;
  };

  const browse = (root, data) => {
    const many = data.systems.length > 1, several = data.metrics.length > 1;
    const systems = data.systems.map((name, i) => [i, name]);
    const metrics = data.metrics.map((metric, i) => [i, metric.name]);
    const orders = [["number", "segment number"], ["worst", "worst first"], ["best", "best first"]];
    if (many) orders.push(["systems", "systems differ most"], ["ahead", "first system most ahead"], ["behind", "first system most behind"]);
    if (several) orders.push(["metrics", "metrics disagree most"]);
    const [sortLabel, sort] = choice("Sort by", orders, many ? "systems" : "worst");
    const [metricLabel, metric] = choice("Metric", metrics, 0);
    const [otherLabel, other] = choice("Other metric", metrics, several ? 1 : 0);
    const [firstLabel, first] = choice("System", systems, 0);
    const [secondLabel, second] = choice("Against", systems, many ? 1 : 0);
    const [searchLabel, search] = field("Search", "search", "words in any text");
    const [leastLabel, least] = field("Words, from", "number", "0");
    const [mostLabel, most] = field("to", "number", "any");
    const [allLabel, all] = check("all systems", false);
    const [marksLabel, marks] = check("mark differences", true);
    // Buckets of a diagnosis hold the steps from each of their segments to the next.
    const buckets = (data.buckets || []).map(({ name, steps }) => {
      let at = -1;
      return { name, rows: new Set(steps.map((step) => (at += step))) };
    });
    const [bucketLabel, bucket] = choice("Bucket", [[-1, "all segments"], ...buckets.map(({ name }, i) => [i, name])], -1);
    const controls = make("form", { class: "controls", role: "search", "aria-label": "Segments" }, sortLabel, metricLabel);
    if (several) controls.append(otherLabel);
    if (buckets.length) controls.append(bucketLabel);
    if (many) controls.append(firstLabel, secondLabel);
    if (data.texts) controls.append(searchLabel, make("fieldset", { class: "pair" }, leastLabel, mostLabel));
    if (many) controls.append(allLabel);
    if (data.texts) controls.append(marksLabel);
    const status = make("span", { role: "status", "aria-live": "polite", class: "remark" });
    const back = make("button", { type: "button" }, "← Previous");
    const forth = make("button", { type: "button" }, "Next →");
    const list = make("div", { class: "segments" });
    const below = make("div", { class: "pager" });
    const backBelow = make("button", { type: "button" }, "← Previous");
    const forthBelow = make("button", { type: "button" }, "Next →");
    below.append(backBelow, forthBelow);
    root.replaceChildren(controls, make("div", { class: "pager" }, back, forth, status), list, below);

    const lengths = data.texts ? data.references.map((texts, i) => words(texts[0] ?? data.texts[i][0]).length) : null;
    let haystack = null;
    const find = (needle) => {
      haystack ??= data.texts.map((texts, i) => [
        ...texts, ...data.references[i], data.sources ? data.sources[i] : "",
      ].join("\n").toLocaleLowerCase());
      const wanted = needle.toLocaleLowerCase();
      return (i) => haystack[i].includes(wanted);
    };
    let order = [], page = 0;

    const arrange = () => {
      const a = Number(first.value), b = many ? Number(second.value) : a;
      const m = Number(metric.value), o = Number(other.value);
      const up = data.metrics[m].higher ? 1 : -1;
      const mine = data.scores[m][a], yours = data.scores[m][b];
      const keys = {
        number: (i) => i,
        worst: (i) => up * mine[i],
        best: (i) => -up * mine[i],
        systems: (i) => -Math.abs(mine[i] - yours[i]),
        ahead: (i) => -up * (mine[i] - yours[i]),
        behind: (i) => up * (mine[i] - yours[i]),
      };
      if (several) {
        const one = standing(mine, data.metrics[m].higher);
        const two = standing(data.scores[o][a], data.metrics[o].higher);
        keys.metrics = (i) => -Math.abs(one[i] - two[i]);
      }
      const key = keys[sort.value];
      const needle = search.value.trim();
      const matches = needle && data.texts ? find(needle) : () => true;
      const low = least.value === "" ? 0 : Number(least.value);
      const high = most.value === "" ? Infinity : Number(most.value);
      const inside = lengths ? (i) => lengths[i] >= low && lengths[i] <= high : () => true;
      order = [];
      const chosen = buckets[Number(bucket.value)];
      for (let i = 0; i < data.count; i++) if (inside(i) && matches(i) && (!chosen || chosen.rows.has(i))) order.push(i);
      const values = new Map(order.map((i) => [i, key(i)]));
      order.sort((i, j) => values.get(i) - values.get(j) || i - j);
      page = 0;
      show();
    };

    const line = (who, ...said) =>
      make("div", { class: "line" }, make("div", { class: "who" }, make("bdi", {}, who)), make("div", { class: "said" }, ...said));
    const chips = (system, i) => make("div", { class: "chips" }, ...data.metrics.map((one, k) =>
      make("span", one.check && data.scores[k][system][i] > 0 ? { class: "flag" } : {}, `${one.name} `, make("b", {}, String(data.scores[k][system][i])))));
    const aligned = (system, i) => {
      const details = make("details", { class: "alignment" }, make("summary", {}, `${data.alignments.metric}: alignment`));
      details.addEventListener("toggle", () => {
        if (details.open && details.childElementCount === 1)
          details.append(...drawAlignment(data.alignments.segments[i][system], data.alignments.kinds, data.alignments.metric));
      });
      return details;
    };
    const card = (i) => {
      const a = Number(first.value), b = Number(second.value);
      const shown = all.checked ? systems.map(([k]) => k) : many ? [...new Set([a, b])] : [0];
      const article = make("article", { id: `segment-${i + 1}` }, make("h3", {}, `Segment ${i + 1}`));
      if (data.texts) {
        if (data.sources) article.append(line("source", make("p", { dir: "auto" }, data.sources[i])));
        data.references[i].forEach((text, k) => article.append(
          line(data.references[i].length > 1 ? `reference ${k + 1}` : "reference", make("p", { dir: "auto" }, text))));
      }
      for (const system of shown) {
        const said = [];
        if (data.texts) {
          const text = data.texts[i][system];
          const content = marks.checked && data.references[i].length ? difference(text, nearest(text, data.references[i])) : [text];
          said.push(make("p", { dir: "auto" }, ...content));
        }
        said.push(chips(system, i));
        if (data.alignments) said.push(aligned(system, i));
        article.append(line(data.systems[system], ...said));
      }
      return article;
    };
    const show = () => {
      const start = page * PAGE, shown = order.slice(start, start + PAGE);
      list.replaceChildren(...shown.map(card));
      const count = order.length.toLocaleString("en");
      status.textContent = order.length
        ? `${(start + 1).toLocaleString("en")} to ${(start + shown.length).toLocaleString("en")} of ${count} segments`
        : "No segment fits.";
      for (const button of [back, backBelow]) button.disabled = page === 0;
      for (const button of [forth, forthBelow]) button.disabled = start + PAGE >= order.length;
    };
    const turn = (by) => { page += by; show(); };
    for (const button of [back, backBelow]) button.addEventListener("click", () => turn(-1));
    for (const button of [forth, forthBelow]) button.addEventListener("click", () => turn(1));
    for (const button of [backBelow, forthBelow]) button.addEventListener("click", () => root.scrollIntoView());
    for (const input of [sort, metric, other, first, second, bucket]) input.addEventListener("change", arrange);
    for (const input of [all, marks]) input.addEventListener("change", show);
    let waiting = 0;
    for (const input of [search, least, most]) input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(arrange, 120);
    });
    for (const link of document.querySelectorAll("a[data-bucket]")) link.addEventListener("click", () => {
      bucket.value = link.dataset.bucket;
      if (many) second.value = link.dataset.system;
      arrange();
    });
    controls.addEventListener("submit", (event) => { event.preventDefault(); arrange(); });
    arrange();
    document.documentElement.dataset.ready = "yes";
  };

  const holder = document.getElementById("segment-data");
  const root = document.getElementById("browser");
  const start = async () => {
    const text = atob(holder.textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    browse(root, JSON.parse(await new Response(stream).text()));
  };
  if (holder && root) {
    start().catch((error) => {
      root.replaceChildren(make("p", { class: "warning" },
        "The segments could not be opened: this browser is older than 2023, or the file is damaged."));
      throw error;
    });
  } else {
    document.documentElement.dataset.ready = "yes";
  }
})();
