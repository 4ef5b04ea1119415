"""Where a storage may keep studies: a test with this mark finds each of them as its ``storage``, in turn."""

import pytest

every_storage = pytest.mark.parametrize("storage", ["memory", "sqlite", "postgres"], indirect=True)
