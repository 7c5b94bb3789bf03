"""The package stays as small as it is: lines of code, as counted here, and nothing squeezed to get there."""

import ast
import io
import tokenize
import unittest
from pathlib import Path

SOURCES = sorted((Path(__file__).resolve().parents[1] / 'src' / 'media_buy_receiver').glob('*.py'))
MOST_LINES, MOST_COLUMNS = 520, 100
NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def code_lines(text):
    """Every line that a token of code stands on, but for docstrings: no blank lines, no comments."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {line for token in tokens if token.type not in NO_CODE for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return lines


def starts_of_statements(text):
    """Where statements begin, but for docstrings; `elif` is the `if` that it stands for."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    return [node.lineno for node in nodes]


class Size(unittest.TestCase):
    def test_the_lines_of_code_are_counted_and_limited(self):
        self.assertEqual(
            len(code_lines('"""Doc\nstring."""\n\n# comment\nx = (\n    1,\n)\n\n\ndef f():\n    """Doc."""\n')), 4
        )
        counts = {source.name: len(code_lines(source.read_text('utf-8'))) for source in SOURCES}
        self.assertIn('verify.py', counts)
        self.assertLessEqual(sum(counts.values()), MOST_LINES, counts)

    def test_no_line_is_longer_than_100_characters_or_has_two_statements(self):
        for source in SOURCES:
            text = source.read_text('utf-8')
            with self.subTest(source.name):
                self.assertLessEqual(max((len(line) for line in text.splitlines()), default=0), MOST_COLUMNS)
                starts = starts_of_statements(text)
                self.assertEqual(len(starts), len(set(starts)))


if __name__ == '__main__':
    unittest.main()
