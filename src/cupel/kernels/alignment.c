/* METEOR's alignments of whole batches: matches, the best of them, and what they add up to.

   Matches that touch no other are certain, and taken beforehand; the rest is a matter of search. */

#include "beam.h"

enum { STATISTICS = 23 };

/* Order the matches by their start in the reference, else as found, with gains and masks. */
static void sort_matches(
    Room *room, const Matches *found, i64 length, const i32 *modules, bool is_short, Choices *choices
) {
    if (found->count > choices->size) {
        choices->size = 2 * found->count;
        choices->matches = NEW(room, Match, choices->size);
        choices->gains = NEW(room, i64, choices->size);
        choices->masks = NEW(room, u64, choices->size);
    }
    i32 *starts = choices->starts;
    memset(starts, 0, (size_t)(length + 1) * sizeof(i32));
    for (i64 k = 0; k < found->count; k++) starts[found->rows[k].reference_start + 1]++;
    for (i64 j = 0; j < length; j++) starts[j + 1] += starts[j];
    for (i64 k = 0; k < found->count; k++)
        choices->matches[starts[found->rows[k].reference_start]++] = found->rows[k];
    for (i64 j = length; j > 0; j--) starts[j] = starts[j - 1];
    starts[0] = 0;
    for (i64 k = 0; k < found->count; k++) {
        Match match = choices->matches[k];
        i64 here = match.reference_length, there = match.hypothesis_length;
        i64 words = modules[match.stage] == EXACT ? here + there : here / 2 + there / 2;
        choices->gains[k] = words << COVERED;
        if (is_short) choices->masks[k] = (((u64)1 << there) - 1) << match.hypothesis_start;
    }
}

/* Set `chosen` to the only match of a word where nothing else covers what it covers. */
static void take_certain(
    const Choices *choices, i64 length, i64 hypothesis_length, i32 *covers, i32 *covered,
    i32 *chosen
) {
    memset(covers, 0, (size_t)hypothesis_length * sizeof(i32));
    memset(covered, 0, (size_t)length * sizeof(i32));
    for (i64 k = 0; k < choices->starts[length]; k++) {
        Match match = choices->matches[k];
        for (i32 at = 0; at < match.reference_length; at++) covered[match.reference_start + at]++;
        for (i32 at = 0; at < match.hypothesis_length; at++) covers[match.hypothesis_start + at]++;
    }
    for (i64 j = 0; j < length; j++) {
        chosen[j] = NO_MATCH;
        i32 k = choices->starts[j];
        if (choices->starts[j + 1] - k != 1) continue;
        Match match = choices->matches[k];
        bool certain = true;
        for (i32 at = 0; at < match.reference_length; at++) certain &= covered[j + at] == 1;
        for (i32 at = 0; at < match.hypothesis_length; at++)
            certain &= covers[match.hypothesis_start + at] == 1;
        if (certain) chosen[j] = k;
    }
}

/* Fill a row of statistics: see `cupel.kernels.alignment.STATISTICS`. */
static void count_matches(
    const Match *matches, const i32 *chosen, Tokens ours, Tokens theirs, const u8 *is_function,
    double *row
) {
    row[0] = (double)ours.length;
    row[1] = (double)theirs.length;
    for (i64 i = 0; i < ours.length; i++) row[2] += is_function[ours.ids[i]];
    for (i64 j = 0; j < theirs.length; j++) row[3] += is_function[theirs.ids[j]];
    i64 last = -1;
    for (i64 j = 0; j < theirs.length;) {
        if (chosen[j] < 0) {
            row[20] += last != -1;
            last = -1;
            j++;
            continue;
        }
        Match match = matches[chosen[j]];
        for (i32 at = 0; at < match.hypothesis_length; at++)
            row[4 + 4 * match.stage + 2 * is_function[ours.ids[match.hypothesis_start + at]]]++;
        for (i32 at = 0; at < match.reference_length; at++)
            row[5 + 4 * match.stage + 2 * is_function[theirs.ids[j + at]]]++;
        row[21] += match.hypothesis_length;
        row[22] += match.reference_length;
        row[20] += last != -1 && last != match.hypothesis_start;
        last = match.hypothesis_start + match.hypothesis_length;
        j += match.reference_length;
    }
    row[20] += last != -1;
}

/* The most entries that the chains of the matchers get from one sentence. */
static i64 most_entries(const Sentences *sentences, i64 rows, const Words *words) {
    i64 entries = most(1, longest_of(sentences->offsets, rows));
    entries = most(entries, longest_of(sentences->phrase_offsets, rows));
    for (i64 s = 0; s < rows; s++) {
        Tokens tokens = tokens_of(sentences, s);
        i64 synsets = 0;
        for (i64 at = 0; at < tokens.length; at++) {
            const i32 *span = words->synset_spans[tokens.ids[at]];
            synsets += span[1] - span[0];
        }
        entries = most(entries, synsets);
    }
    return entries;
}

/* kept: where `keep`, room for as many matches as the references of all pairs have words. */
KERNEL(align)(
    const i32 *ids, const i64 *offsets, const i64 *phrase_offsets, const Phrase *phrases, i64 rows,
    const i32 *key, const i32 *stem, const u8 *is_function, const i32 (*synset_spans)[2],
    const i32 *synsets, const i32 *paraphrases, const i32 *modules, i64 module_count, i64 beam,
    const i64 *hypotheses, const i64 *references, i64 pairs, double *statistics, i64 keep,
    Match *kept, i64 *kept_offsets
) {
    OPEN(room);
    Sentences sentences = {ids, offsets, phrase_offsets, phrases};
    Words words = {key, stem, is_function, synset_spans, synsets};
    i64 longest = most(1, longest_of(offsets, rows));
    i64 entries = most_entries(&sentences, rows, &words);
    Desk desk = {chains_for(&room, entries), NEW(&room, i32, entries), ZEROS(&room, u8, longest)};
    Matches found = {NEW(&room, Match, 1024), 0, 1024};
    Choices choices = {.starts = NEW(&room, i32, longest + 2)};
    Beam b = beam_for(&room, beam, longest);
    i32 *chosen = NEW(&room, i32, longest);
    i32 *covers = NEW(&room, i32, longest);
    i32 *covered = NEW(&room, i32, longest);
    i64 total = 0;
    kept_offsets[0] = 0;
    for (i64 p = 0; p < pairs; p++) {
        i64 h = hypotheses[p], r = references[p];
        Tokens ours = tokens_of(&sentences, h), theirs = tokens_of(&sentences, r);
        i64 bit_words = 1 + ours.length / 64;
        find_matches(
            &room, &sentences, &words, paraphrases, modules, module_count, h, r, &desk, &found
        );
        sort_matches(&room, &found, theirs.length, modules, bit_words == 1, &choices);
        take_certain(&choices, theirs.length, ours.length, covers, covered, chosen);
        search(&b, &choices, theirs.length, beam, bit_words, chosen);
        count_matches(choices.matches, chosen, ours, theirs, is_function, statistics + STATISTICS * p);
        for (i64 j = 0; keep && j < theirs.length; j++)
            if (chosen[j] >= 0) kept[total++] = choices.matches[chosen[j]];
        kept_offsets[p + 1] = total;
    }
    return leave(&room, DONE);
}

/* Java's `String.hashCode` of words given as UTF-16. */
KERNEL(hash_codes)(const uint16_t *units, const i64 *offsets, i64 words, i32 *codes) {
    for (i64 word = 0; word < words; word++) {
        u32 code = 0;
        for (i64 at = offsets[word]; at < offsets[word + 1]; at++) code = 31 * code + units[at];
        codes[word] = (i32)code;
    }
    return DONE;
}
