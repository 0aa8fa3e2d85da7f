(() => {
  const { make, difference, drawAlignment } = cupelMarks;
  const metrics = JSON.parse(document.getElementById("metrics").textContent);
  const form = document.querySelector("form");
  const results = document.getElementById("results");
  const status = document.getElementById("status");
  const button = form.querySelector("button");
  const NAMES = ["Translation 1", "Translation 2"];

  const post = async (path, content) => {
    let answer;
    try {
      answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content),
      });
    } catch {
      throw new Error("The service does not answer: it may have been stopped.");
    }
    const document = await answer.json();
    if (!answer.ok) throw new Error(document.error);
    return document;
  };

  // ---- what to say ------------------------------------------------------------------------------
  const better = (metric, [first, second]) => Math.sign(metric.higher ? first - second : second - first);
  const listed = (names) => names.length < 2 ? names.join("")
    : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
  const byScores = (rows) => {
    const ahead = [1, -1].map((side) => rows.filter(([metric, pair]) => better(metric, pair) === side)
      .map(([metric]) => metric.name));
    const parts = ahead.map((names, side) => names.length ? `${NAMES[side]} has the better score under ${listed(names)}.` : "");
    if (!ahead[0].length && !ahead[1].length) return ["even", "Both translations have the same scores."];
    return [ahead[0].length && ahead[1].length ? "even" : "better", parts.filter(Boolean).join(" ")];
  };
  const byPreference = ({ metric, first_is_better: [p] }) => {
    if (Math.abs(p - 0.5) < 0.005) return ["even", `According to ${metric}, both are equally good.`];
    const chance = Math.min(0.99, Math.max(p, 1 - p)).toFixed(2);
    return ["better", `${NAMES[p > 0.5 ? 0 : 1]} is better with probability ${chance}, according to ${metric}.`];
  };
  const verdict = (rows, preference) => {
    const [kind, sentence] = preference ? byPreference(preference) : byScores(rows);
    const items = preference && rows.length ? [make("li", {}, byScores(rows)[1])] : [];
    items.push(make("li", {}, "One segment has no confidence interval and says little about a system: to compare systems, score a test set."));
    return make("div", { class: `verdict ${kind}` }, make("p", {}, sentence), make("ul", {}, ...items));
  };

  // ---- what to show -----------------------------------------------------------------------------
  const section = (title, ...content) => make("section", {}, make("h2", {}, title), ...content);
  const scrolling = (label, ...content) =>
    make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, ...content);
  const minus = (text) => text.replace("-", "\u2212");
  const signed = (value, places) => (value > 0 ? "+" : "") + minus(value.toFixed(places));
  const table = (rows) => {
    const head = ["metric", ...NAMES, "difference"].map((name) => make("th", { scope: "col" }, name));
    const body = rows.map(([metric, pair]) => {
      const side = better(metric, pair);
      const cell = (value, best) => make("td", { class: best ? "best" : null }, minus(value.toFixed(metric.decimals)));
      const label = make("th", { scope: "row" }, make("bdi", {}, metric.name));
      const notes = [metric.higher ? "" : "lower is better", metric.english ? "for English" : ""].filter(Boolean);
      if (notes.length) label.append(make("small", {}, notes.join(", ")));
      return make("tr", {}, label, cell(pair[0], side > 0), cell(pair[1], side < 0),
        make("td", {}, signed(pair[0] - pair[1], metric.decimals)));
    });
    return scrolling("Scores", make("table", {}, make("caption", {}, "The better score of each metric is bold."),
      make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
  };
  const line = (who, ...content) => make("div", { class: "line" }, make("div", { class: "who" }, who),
    make("div", { class: "said" }, make("p", { dir: "auto" }, ...content)));
  const texts = ({ source, reference, translations }) => {
    const article = make("article", {});
    if (source) article.append(line("Source", source));
    if (reference) article.append(line("Reference", reference));
    translations.forEach((text, side) => article.append(line(NAMES[side], ...(reference ? difference(text, reference) : [text]))));
    return article;
  };

  // From the links of the service to those of the drawing: runs of words, or word by word.
  const packed = ({ hypothesis, reference, links }, kinds) => {
    const drawn = new Map();
    const run = (places) => places[places.length - 1] - places[0] === places.length - 1;
    for (const { hypothesis_at: ours, reference_at: theirs, kind } of links) {
      if (!kinds.includes(kind)) kinds.push(kind);
      const number = kinds.indexOf(kind);
      if (ours.length !== theirs.length && run(ours) && run(theirs)) {
        drawn.set(`${ours} ${theirs} ${kind}`, [ours[0] - 1, theirs[0] - 1, ours.length, number, theirs.length]);
        continue;
      }
      for (let i = 0; i < Math.min(ours.length, theirs.length); i++) {
        drawn.set(`${ours[i]} ${theirs[i]} ${kind}`, [ours[i] - 1, theirs[i] - 1, 1, number]);
      }
    }
    return [hypothesis.join(" "), reference.join(" "), [...drawn.values()]];
  };
  const alignments = async (input) => {
    const able = usable(input).filter((metric) => metric.aligns);
    if (!able.length || !input.reference) return [];
    const holder = make("div", { class: "figures" });
    const show = async (name) => {
      const { segments } = await post("align", {
        hypotheses: input.translations, references: [input.reference, input.reference], metric: name,
      });
      const kinds = [];
      holder.replaceChildren(...segments.map((one, side) => {
        const title = `${NAMES[side]}: ${one.score.toFixed(4)}`;
        return make("div", { class: "alignment" }, make("h3", {}, title), scrolling(title, ...drawAlignment(packed(one, kinds), kinds, name)));
      }));
      stops();
    };
    await show(able[0].name);
    const select = make("select", {}, ...able.map(({ name }) => make("option", {}, name)));
    select.addEventListener("change", () => show(select.value).catch(complain));
    const choice = make("label", { class: "choose" }, "Metric", select);
    const remark = make("p", { class: "remark" }, "Words of each translation that the metric matched with words of the reference; words without a match are struck through.");
    return [section("Alignment", remark, ...(able.length > 1 ? [choice] : []), holder)];
  };

  // The keyboard stops at what scrolls by itself, and only at that.
  const stops = () => {
    for (const node of document.querySelectorAll(".scroll")) {
      if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
      else node.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", stops);

  // ---- asking -----------------------------------------------------------------------------------
  const complain = (error) => {
    status.className = "warning";
    status.textContent = error.message;
  };
  // Metrics for English are left out where most letters are of another script.
  const latin = (text) => 2 * (text.match(/\p{Script=Latin}/gu) ?? []).length >= (text.match(/\p{L}/gu) ?? []).length;
  const usable = ({ source, reference, translations }) => metrics.filter(({ needs, english }) =>
    (reference || !needs.includes("references")) && (source || !needs.includes("sources")) &&
    (!english || latin(translations.join(" "))));
  const compare = async (input) => {
    const able = usable(input);
    if (!able.length) throw new Error(input.reference
      ? "No metric here is for these texts." : "The metrics here need a reference: fill in that field.");
    const context = {
      ...(input.reference && { references: [input.reference] }), ...(input.source && { sources: [input.source] }),
    };
    const names = able.map(({ name }) => name);
    const judge = able.find((metric) => metric.prefers);
    const [first, second, preference, aligned] = await Promise.all([
      ...input.translations.map((text) => post("score", { hypotheses: [text], ...context, metrics: names })),
      judge ? post("prefer", { first: [input.translations[0]], second: [input.translations[1]], ...context, metric: judge.name }) : null,
      alignments(input),
    ]);
    const rows = able.filter(({ name }) => name in first.scores)
      .map((metric) => [metric, [first.scores[metric.name], second.scores[metric.name]]]);
    const title = make("h2", { tabindex: "-1" }, "Which is better?");
    results.replaceChildren(
      make("section", {}, title, verdict(rows, preference)), section("Scores", table(rows)),
      section(input.reference ? "Differences from the reference" : "Texts", texts(input)), ...aligned);
    stops();
    title.focus({ preventScroll: true });
    title.scrollIntoView();
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const value = (name) => form.elements[name].value.trim();
    status.className = "remark";
    status.textContent = "Computing …";
    button.disabled = true;
    try {
      await compare({ source: value("source"), reference: value("reference"), translations: [value("first"), value("second")] });
      status.textContent = "Done.";
    } catch (error) {
      results.replaceChildren();
      complain(error);
    } finally {
      button.disabled = false;
    }
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener("reset", () => {
    results.replaceChildren();
    status.textContent = "";
  });
  document.documentElement.dataset.ready = "yes";
})();
