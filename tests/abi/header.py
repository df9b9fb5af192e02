# SPDX-License-Identifier: MIT
"""The content of uapi/kverbs.h: names from its text, values from the compiler."""

import os
import re
import subprocess
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = os.path.join(TOP, "uapi")
PATH = os.path.join(FOLDER, "kverbs.h")

# The release's, not the interface's.
NOT_INTERFACE = {"KVERBS_VERSION"}


def _comment(text):
    """A comment's text without its frame; a continued line begins with a tab."""
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in text.split("\n"))


def _kernel_doc(comment):
    """The texts of the @NAME: paragraphs."""
    texts = {}
    name = None
    for line in _comment(comment).split("\n"):
        start = re.match(r"@(\w+): (.*)", line)
        if start:
            name = start[1]
            texts[name] = start[2]
        elif name and line.startswith("\t"):
            texts[name] += " " + line.strip()
        else:
            name = None
    return texts


class Header:
    """
    enums: {tag: [name, …]} in their order, without those that mark the end
    ends: the names that mark the end of an enum, __…_LAST and …_MAX
    macros: names of the macros that stand for a number or a string
    structs: {tag: [member, …]}
    doc: {name: text} of the kernel-doc comments of enums
    head: the text of the comment at the top
    values: {name: number or string} of all of enums, ends and macros
    """

    def __init__(self):
        with open(PATH, encoding="utf-8") as file:
            text = file.read()
        self.head = _comment(re.search(r"\n/\*\n(.*?)\*/", text, re.S)[1])
        self.enums = {}
        self.ends = []
        self.doc = {}
        for found in re.finditer(r"(?:/\*\*\n((?:(?!\*/).)*)\*/\n)?enum (\w+) \{(.*?)\n\};", text, re.S):
            names = re.findall(r"^\t(\w+)( = __\w+ - 1)?,$", found[3], re.M)
            self.enums[found[2]] = [name for name, end in names if not end and not name.startswith("__")]
            self.ends += [name for name, end in names if end or name.startswith("__")]
            self.doc.update(_kernel_doc(found[1] or ""))
        self.macros = re.findall(r"^#define (\w+) \S", text, re.M)
        self.structs = {
            tag: re.findall(r"^\t\w+ (\w+);$", body, re.M)
            for tag, body in re.findall(r"^struct (\w+) \{(.*?)\n\};", text, re.S | re.M)
        }
        names = sum(self.enums.values(), []) + self.ends + self.macros
        self.values = dict(zip(names, evaluate(names)))

    def layout(self):
        """The structs' sizes, and their members' offsets and sizes, as C expressions."""
        for tag, members in self.structs.items():
            yield f"sizeof(struct {tag})"
            for member in members:
                yield f"offsetof(struct {tag}, {member})"
                yield f"sizeof(((struct {tag} *)0)->{member})"


def evaluate(expressions):
    """The values of C expressions that use the header: numbers, or strings."""
    program = "#include <stddef.h>\n#include <stdio.h>\n#include <kverbs.h>\n"
    program += '#define PRINT(x) _Generic((x), char *: print_string, default: print_number)((long long)(x))\n'
    program += 'static void print_string(long long x) { printf("\\"%s\\"\\n", (const char *)x); }\n'
    program += 'static void print_number(long long x) { printf("%lld\\n", x); }\n'
    program += "int main(void)\n{\n"
    program += "".join(f"\tPRINT({expression});\n" for expression in expressions)
    program += "\treturn 0;\n}\n"
    with tempfile.TemporaryDirectory() as work:
        binary = os.path.join(work, "values")
        subprocess.run([os.environ.get("CC", "cc"), "-w", "-I", FOLDER, "-x", "c", "-o", binary, "-"],
                       input=program, text=True, check=True)
        lines = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line[1:-1] if line.startswith('"') else int(line) for line in lines]
