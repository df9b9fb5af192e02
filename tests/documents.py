#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Holds README.md and docs/ against what they speak of.

usage: tests/documents.py [KVERBS]

Links lead to files and headings that are there; the answer in README.md is that of
tests/det/figures/6.1, and README.md has at most 120 lines; commands and options that a block
of commands has are those of the tool, build/kverbs or KVERBS. Exit status 1 if not.
"""
import re
import subprocess
import sys
from pathlib import Path

README_LINES = 120
FIGURES = 'tests/det/figures/6.1'


def anchor(heading):
    """The name that a heading has in a link."""
    return re.sub(r'[^\w -]', '', heading.strip().lower()).replace(' ', '-')


def links(path, text):
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        if '://' in target:
            continue
        name, _, heading = target.partition('#')
        other = (path.parent / name).resolve() if name else path.resolve()
        if not other.exists():
            yield f'{path}: there is no {target}'
        elif heading and heading not in map(anchor, re.findall(r'^#+ (.*)$', other.read_text(), re.M)):
            yield f'{path}: {other.name} has no heading for #{heading}'


def figures():
    """(op, bytes): instructions from the kernel, from user space."""
    found = {}
    for line in Path(FIGURES).read_text().splitlines():
        words = line.split()
        if words and words[0] in ('kernel', 'user'):
            found.setdefault((words[1], words[2]), {})[words[0]] = int(words[3])
    return found


def answer(text):
    rows = re.findall(r'^\| (\w+), (\d+) B[^|]* \| (\d+) \| (\d+) \| ([\d.]+) % less \|$', text, re.M)
    if len(rows) != 4:
        yield f'README.md: its answer has {len(rows)} rows, and not 4'
    for op, size, kernel, user, less in rows:
        want = figures()[op.lower().replace('_', '-'), size]
        share = f'{100 * (1 - want["kernel"] / want["user"]):.1f}'
        if [int(kernel), int(user), less] != [want['kernel'], want['user'], share]:
            yield (f'README.md: {op} of {size} B is {want["kernel"]}, {want["user"]}, {share} % less in '
                   f'{FIGURES}, and not {kernel}, {user}, {less} %')


def tool_help(tool, command):
    done = subprocess.run([tool, command, '--help'], capture_output=True, text=True, check=False)
    return done.stdout if not done.returncode else None


def blocks(text):
    """The commands of indented blocks and of fenced ones, without what a prompt or a comment is."""
    fenced = False
    for line in text.splitlines():
        if line.startswith('```'):
            fenced = not fenced
        elif fenced or line.startswith('    '):
            yield re.split(r'\s#\s|#\s{2,}', re.sub(r'^\s*(host \w+# |[$#] )?', '', line))[0]


def options(path, text, tool, known):
    for line in blocks(text):
        for command, rest in re.findall(r'(?:^|[ /])kverbs ([a-z-]+)([^|;&()<>]*)', line):
            if command == 'help':
                continue
            if command not in known:
                known[command] = tool_help(tool, command)
            if known[command] is None:
                yield f'{path}: the tool has no command {command}: {line.strip()}'
                continue
            for option in re.findall(r'(?<=\s)(--[a-z][a-z-]*)', rest):
                if not re.search(re.escape(option) + r'(?![a-z-])', known[command]):
                    yield f'{path}: {command} has no option {option}: {line.strip()}'


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else 'build/kverbs'
    readme = Path('README.md').read_text()
    wrong = list(answer(readme))
    known = {}
    if readme.count('\n') > README_LINES:
        wrong.append(f'README.md has {readme.count(chr(10))} lines, and {README_LINES} are the most')
    for path in [Path('README.md'), Path('examples/README.md'), *sorted(Path('docs').glob('*.md'))]:
        text = path.read_text()
        wrong += [*links(path, text), *options(path, text, tool, known)]
    print('\n'.join(wrong), end='\n' if wrong else '')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
