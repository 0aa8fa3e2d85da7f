"""TERp with the phrases that its authors' program used: the published rows of determiners and passives.

The clone of text-machine-lab/MUTT has the program's scores and alignments of the paper's trials with 20
references. CUPEL_SNAPSHOTS names the folder that holds the clone; without it only the reading is tested.
"""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from cupel.data import DATASETS
from cupel.mutt import Results, open_suite, run
from cupel.registry import get_metric
from cupel.text.paraphrases import open_paraphrases
from snapshots import read
from terp_log import logged_phrases, main, table_of

COUNTS = (5, 10, 20)
CORRUPTIONS = ("det_sub", "passive")
OTHERS = (
    "double_PP", "near_syms", "neg_subj", "neg_verb", "remove_prep", "sem_opps", "shuffled",
    "swap_chunks",
)  # fmt: skip
LOG = """Alignment: (IP  PSII)
Num Phrase Substitutions: 2
  NewCost: 0.6219406912716559 OrigCost: 0.25 <p>men</p> <p>two teams</p>
  NewCost: 0.013796906237236284 OrigCost: 0.630597 <p>soccer</p> <p>football</p>
"""


def test_phrases_of_a_log_become_a_table(tmp_path, capsys):
    log, out = tmp_path / "a.pra", tmp_path / "paraphrase-log.gz"
    log.write_text(LOG * 2)
    main([str(out), str(log), str(log)])
    assert gzip.decompress(out.read_bytes()).decode().splitlines() == [
        "0.25", "men", "two teams", "0.630597", "soccer", "football",
    ]  # fmt: skip
    assert capsys.readouterr().err == f"2 phrases in {out}\n"
    assert open_paraphrases(out).of("men") == [("two teams", 0.25)]
    with pytest.raises(SystemExit, match="usage"):
        main([str(out)])


@pytest.fixture(scope="module")
def logged(tmp_path_factory) -> tuple[Results, dict[str, list[np.ndarray]]]:
    """Our results with the logged phrases, and the program's scores with 20 references."""
    repository = DATASETS["mutt"].repositories[0]
    every = [f"{c}_{side}" for c in (*CORRUPTIONS, *OTHERS) for side in "ab"]
    logs = read(repository, [f"src/tmp/{name}.xml.pra" for name in every])
    phrases = logged_phrases(log.decode("latin-1") for log in logs)
    assert len(phrases) == 128
    path = tmp_path_factory.mktemp("terp") / "paraphrase-log.gz"
    path.write_bytes(table_of(phrases))
    metric = get_metric(f"terp:paraphrases={path}")
    results = run(open_suite("mutt").only(CORRUPTIONS), {"terp": metric}, references=COUNTS)
    names = [f"{c}_{side}" for c in CORRUPTIONS for side in "ab"]
    files = list(read(repository, [f"src/tmp/{name}.xml.seg.scr" for name in names]))
    scores = [np.array([float(line.split()[3]) for line in file.splitlines()]) for file in files]
    return results, {"det_sub": scores[:2], "passive": scores[2:]}


@pytest.mark.parametrize(
    ("corruption", "expected"), [("det_sub", (6.2, 10.8, 27.7)), ("passive", (16.4, 13.1, 7.5))]
)
def test_accuracies_with_the_logged_phrases(logged, corruption, expected):
    # The paper's row of determiners; of passives it counts 24 trials that were not released.
    ours = [100 * logged[0].of("terp", corruption, count).accuracy for count in COUNTS]
    assert ours == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(("corruption", "equal"), [("det_sub", 123), ("passive", 357)])
def test_scores_with_the_logged_phrases(logged, corruption, equal):
    """Most are the program's to the last digit it prints; the rest are synonyms and shifts."""
    result = logged[0].of("terp", corruption, 20)
    ours = np.concatenate([result.originals, result.corrupted]) / 100
    theirs = np.concatenate(logged[1][corruption])
    assert int((np.abs(ours - theirs) < 1e-6).sum()) == equal
