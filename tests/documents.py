#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Holds README.md and docs/ against what they speak of.

usage: tests/documents.py [KVERBS]

Links lead to files and headings that are there; the answer in README.md and the tables of
docs/results.md are those of tests/det/figures, and README.md has at most 120 lines; the number of
the protocol is that of the tool; a row of docs/troubleshooting.md explains each counter that a measurement may
print; commands and options that a block of commands has are those of the tool, build/kverbs or KVERBS, and those
of make and scripts/ that a guest can't run (tests/vm/34-documents.sh) are those of their --help. Exit status 1 if
not.
"""
import re
import subprocess
import sys
from pathlib import Path

README_LINES = 120
FIGURES = 'tests/det/figures'


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


def figures(kernel):
    """(op, bytes): of each space the instructions, and how many per cent of the samples have them."""
    found = {}
    for line in Path(FIGURES, kernel).read_text().splitlines():
        words = line.split()
        if words and words[0] in ('kernel', 'user'):
            found.setdefault((words[1], words[2]), {})[words[0]] = words[3:5]
    return found


def compared(figure):
    """The last column of a table: the kernel's figure in relation to user space's."""
    ratio = int(figure['kernel'][0]) / int(figure['user'][0])
    return f'{100 * abs(1 - ratio):.1f} % {"less" if ratio <= 1 else "more"}'


def grouped(count):
    """As kverbs prints it: the thousands of five digits and more are parted."""
    return f'{int(count):,}' if len(count) > 4 else count


def table(path, text, kernel, with_shares):
    """Rows as '| WRITE, 64 B | 10,000 | 20,000 | 50.0 % less |', or with a share behind each figure."""
    there = 0
    counted = figures(kernel)
    for op, size, cells in re.findall(r'^\| ([A-Z_]+), (\d+) B[^|]*\|(.*)\|$', text, re.M):
        figure = counted[op.lower().replace('_', '-'), size]
        want = []
        for space in ('kernel', 'user'):
            want += [grouped(figure[space][0]), f'{figure[space][1]} %'][:1 + with_shares]
        want.append(compared(figure))
        there += 1
        if [cell.strip() for cell in cells.split('|')] != want:
            yield f'{path}: {op}, {size} B is {" | ".join(want)} in {FIGURES}/{kernel}'
    if there < 4:
        yield f'{path}: the table of {kernel} has {there} rows'


def tables():
    yield from table('README.md', Path('README.md').read_text(), '6.1', False)
    results = Path('docs/results.md').read_text()
    for part in results.split('\n## Linux ')[1:]:
        yield from table('docs/results.md', part, '.'.join(part.split('.')[:2]), True)


def tool_help(*command):
    done = subprocess.run([*command, '--help'], capture_output=True, text=True, check=False)
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


def host_commands(path, text):
    """Targets of make, programs of scripts/ and their options, and tests that a block is run by."""
    for line in blocks(text):
        for target in re.findall(r'^make ([a-z-]+)', line):
            if not re.search(rf'^# make {target}\b', Path('Makefile').read_text(), re.M):
                yield f"{path}: 'make help' has no target {target}"
        for script, rest in re.findall(r'^(scripts/[a-z-]+)((?:(?! -- ).)*)', line):
            if not Path(script).exists():
                yield f'{path}: there is no {script}'
                continue
            for option in re.findall(r'(?<=\s)(--[a-z][a-z-]*)', rest):
                if not re.search(re.escape(option) + r'(?![a-z-])', tool_help(script)):
                    yield f'{path}: {script} has no option {option}: {line.strip()}'
    for test in re.findall(r'^<!-- run by: (.*) -->$', text, re.M):
        if path.name not in (Path(test).read_text() if Path(test).exists() else ''):
            yield f'{path}: {test} does not run its blocks'


def protocol(path, text):
    """The control channel's number, wherever a document shows a message of it."""
    want = re.search(r'^#define KV_PROTOCOL (\d+)', Path('tool/remote/hello.h').read_text(), re.M).group(1)
    for number in re.findall(r'"protocol":\s*(\d+)', text):
        if number != want:
            yield f'{path}: "protocol" is {want}, and not {number}'


def counters():
    """Is each counter that a measurement may print explained?"""
    table = Path('docs/troubleshooting.md').read_text()
    names = re.search(r'troubles\[\] = \{(.*?)\}', Path('tool/measure/retries.c').read_text(), re.S).group(1)
    for name in re.findall(r'"(\w+)"', names):
        if f'| `{name}` |' not in table:
            yield f'docs/troubleshooting.md: no row explains the counter {name}'


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else 'build/kverbs'
    readme = Path('README.md').read_text()
    wrong = [*tables(), *counters()]
    known = {}
    if readme.count('\n') > README_LINES:
        wrong.append(f'README.md has {readme.count(chr(10))} lines, and {README_LINES} are the most')
    glossary = Path('docs/glossary.md').read_text()
    wrong += [f'docs/glossary.md does not say what {path} is in C' for path in sorted(Path('examples').glob('*.kv'))
              if f'../{path})' not in glossary]
    for path in [Path('README.md'), Path('examples/README.md'), *sorted(Path('docs').glob('*.md'))]:
        text = path.read_text()
        wrong += [*links(path, text), *options(path, text, tool, known), *host_commands(path, text), *protocol(path, text)]
    print('\n'.join(wrong), end='\n' if wrong else '')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
