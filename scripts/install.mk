# SPDX-License-Identifier: GPL-2.0
#
# The files and folders of 'make install'; 'make uninstall' removes them.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
# The tool's shared objects. The tool looks for them in its own folder and in ../lib/kverbs.
LIBDIR = $(patsubst %/,%,$(dir $(BINDIR)))/lib/kverbs
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
DOCDIR ?= $(PREFIX)/share/doc/kverbs
# DKMS looks nowhere else.
SRCDIR ?= /usr/src
VERSION := $(shell sed -n 's/^.define KVERBS_VERSION "\(.*\)"$$/\1/p' uapi/kverbs.h)
MODULE_SOURCES = $(SRCDIR)/kverbs-$(VERSION)

install: install-tool install-module

# Pages and completion are what the tool prints, so that they are its own.
install-tool: tool
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR) $(DESTDIR)$(MANDIR)/man8 $(DESTDIR)$(BASHDIR) \
		$(DESTDIR)$(ZSHDIR) $(DESTDIR)$(DOCDIR)
	install -m 755 $(BUILD)/kverbs $(DESTDIR)$(BINDIR)/kverbs
	install -m 644 $(BUILD)/kverbs-user.so $(BUILD)/kverbs-edit.so $(DESTDIR)$(LIBDIR)/
	$(BUILD)/kverbs man >$(DESTDIR)$(MANDIR)/man8/kverbs.8
	for command in $$($(BUILD)/kverbs man --list); do \
		$(BUILD)/kverbs man $$command >$(DESTDIR)$(MANDIR)/man8/kverbs-$$command.8 || exit 1; done
	$(BUILD)/kverbs completion bash >$(DESTDIR)$(BASHDIR)/kverbs
	$(BUILD)/kverbs completion zsh >$(DESTDIR)$(ZSHDIR)/_kverbs
	cp -R README.md LICENSE docs examples $(DESTDIR)$(DOCDIR)/
	rm -rf $(DESTDIR)$(DOCDIR)/docs/adding

# Sources, which DKMS builds for each kernel that is installed.
install-module:
	install -d $(DESTDIR)$(MODULE_SOURCES)
	cp -R Kbuild kmod uapi LICENSE $(DESTDIR)$(MODULE_SOURCES)/
	sed 's/#MODULE_VERSION#/$(VERSION)/' scripts/dkms.conf.in >$(DESTDIR)$(MODULE_SOURCES)/dkms.conf

# The whole of what install makes; folders that hold nothing else go, too.
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/kverbs $(DESTDIR)$(MANDIR)/man8/kverbs.8 $(DESTDIR)$(MANDIR)/man8/kverbs-*.8 \
		$(DESTDIR)$(BASHDIR)/kverbs $(DESTDIR)$(ZSHDIR)/_kverbs
	rm -rf $(DESTDIR)$(LIBDIR) $(DESTDIR)$(DOCDIR) $(DESTDIR)$(MODULE_SOURCES)

.PHONY: install install-tool install-module uninstall
