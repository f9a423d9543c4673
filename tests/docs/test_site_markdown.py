"""What the site makes of our Markdown, which is GitHub's, so that MkDocs reads it as people do."""

from __future__ import annotations

import runpy
import textwrap
from typing import Any

import pytest
from pages import PAGES, ROOT, text_of

pytest.importorskip("markdown_it", reason="markdown-it-py is not installed")


@pytest.fixture(scope="module")
def site() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "packaging" / "site" / "markdown.py"))


def lines(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def test_what_is_in_an_item_is_indented_by_four(site: dict[str, Any]) -> None:
    given = """
        - one
          goes on

              code
        - two
          - inner
            goes on
        2. third

           ```sh
           ls
           ```
        """
    made = """
        - one
            goes on

                code
        - two
            - inner
                goes on

        2. third

            ```sh
            ls
            ```
        """
    assert site["adapt"](lines(given)) == lines(made)


def test_a_list_or_table_right_after_a_paragraph_is_set_apart(site: dict[str, Any]) -> None:
    given = "text:\n- item\n\nmore\n\n<!-- a table -->\n| a |\n|---|\n| b |\n"
    made = "text:\n\n- item\n\nmore\n\n<!-- a table -->\n\n| a |\n|---|\n| b |\n"
    assert site["adapt"](given) == made


def test_other_text_stays_as_it_is(site: dict[str, Any]) -> None:
    text = "# A title\n\nSome text:\n\n    - no list, but code\n\n```yaml\n- a: 1\n  b: 2\n```\n"
    assert site["adapt"](text) == text


def test_links_change_and_code_does_not(site: dict[str, Any]) -> None:
    text = "[a](b.yaml) and `[c](d.yaml)`\n\n```\n[e](f.yaml)\n```\n\n![g](h.png#i)\n"
    changed = site["change_links"](text, str.upper)
    assert changed == text.replace("b.yaml", "B.YAML").replace("h.png#i", "H.PNG#I")


def test_no_page_loses_a_word(site: dict[str, Any]) -> None:
    for page in PAGES:
        text = text_of(page)
        unchanged = site["change_links"](text, lambda link: link)
        assert unchanged == text, page
        assert site["adapt"](text).split() == text.split(), page


def test_a_sequence_diagram_becomes_a_list(site: dict[str, Any]) -> None:
    given = """
        ```mermaid
        sequenceDiagram
            participant U as user
            participant S as scheduler
            U->>S: boot a VM
            S-->>U: done
            Note over S: rests<br/>a while
            loop every day
                S--)U: a bill
            end
        ```
        """
    made = """
        - **user → scheduler:** boot a VM
        - **scheduler → user:** done
        - *scheduler:* rests a while
        - Every day:
          - **scheduler → user:** a bill
        """
    assert site["list_diagrams"](lines(given)) == lines(made)
    with pytest.raises(ValueError, match="unknown line 'alt x'"):
        site["list_diagrams"](lines(given).replace("loop every day", "alt x"))
