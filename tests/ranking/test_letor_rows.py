"""Rows of a LETOR file that are refused."""

import pytest

from copeland.ranking import InvalidCollection, letor

pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("5 qid:1 1:1", "the grade is '5'.*from 0 to 4"),
        ("-1 qid:1 1:1", "the grade is '-1'"),
        ("1.5 qid:1 1:1", "the grade is '1.5'"),
        ("x qid:1 1:1", "the grade is 'x'"),
        ("nan qid:1 1:1", "the grade is 'nan'"),
        ("0 qid: 1:1", "the query has no name"),
        ("0 1:1", "the row has no qid"),
        ("0 qid:1 0:1", "numbered '0'"),
        ("0 qid:1 -2:1", "numbered '-2'"),
        ("0 qid:1 1.5:1", "numbered '1.5'"),
        ("0 qid:1 1e1:1", "numbered '1e1'"),
        ("0 qid:1 100001:1", "there is a feature 100001, but at most 100000"),
        ("0 qid:1 1234567890:1", "numbered '1234567890'"),
        ("0 qid:1 1:1 1:2", "feature 1 is given twice"),
        ("0 qid:1 1:nan", "feature 1 is 'nan'"),
        ("0 qid:1 1:1 2:inf", "feature 2 is 'inf'"),
        ("0 qid:1 1:-Infinity", "feature 1 is '-Infinity'"),
        ("0 qid:1 1:1e400", "feature 1 is too large"),
        ("0 qid:1 2:1e39", "feature 2 is too large for float32"),
        ("0 qid:1 1:1_0", "feature 1 is '1_0'"),
        ("0 qid:1 1:", "feature 1 is ''"),
        ("0 qid:1 :1", "numbered ''"),
        ("0 qid:1 1", "'1' is not a feature"),
        ("0 qid:1 1: 2", "feature 1 is ''"),
        ("0 qid:1 1:2:3 4", "feature 1 is '2:3'"),
        ("0 qid:1 1:2 x:3", "numbered 'x'"),
        ("0 qid:1 qid:2 1:2", "'qid:2' is out of place"),
        ("0 1:2 qid:1", "'qid:1' is out of place"),
        ("0 qid:0 1:1", "query 0 comes again after other queries"),
    ],
)
def test_a_bad_row_is_refused_with_its_file_and_line(file, cache, row, sentence):
    path = file(f"0 qid:0 1:1\n\n1 qid:1 1:1\n{row}\n")
    with pytest.raises(InvalidCollection, match=sentence) as caught:
        letor.load(path)
    assert str(caught.value).startswith(f"{path}, line 4: ")
    assert not cache.exists()
