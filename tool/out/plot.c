// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "out/plot.h"

/* gnuplot's terminal for each ending of a file's name. No text has markup. */
static const struct {
	const char *ending;
	const char *terminal;
} formats[] = {
	{ ".svg", "svg noenhanced size 960,600 background rgb 'white'" },
	{ ".png", "pngcairo noenhanced size 1440,900 fontscale 1.3" },
};

static const char *find_terminal(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (n > 4 && !strcasecmp(path + n - 4, formats[i].ending))
			return formats[i].terminal;
	return NULL;
}

/** kv_plot_check() - does the name of a file say what to draw? */
int kv_plot_check(const char *path, struct kv_fault *f)
{
	return find_terminal(path) ? 0 : kv_fault_usage(f, "--plot %s: the name of an image ends in .svg or .png", path);
}

/* The last line that gnuplot has printed is what is wrong; above it stands where. */
static void read_last_line(int said, char *text, size_t size)
{
	ssize_t n = pread(said, text, size - 1, 0);
	char *line;

	text[n > 0 ? n : 0] = '\0';
	for (n = (ssize_t)strlen(text); n && isspace((unsigned char)text[n - 1]); n--)
		text[n - 1] = '\0';
	line = strrchr(text, '\n');
	line = (line ? line + 1 : text) + strspn(line ? line + 1 : text, " \t");
	memmove(text, line, strlen(line) + 1);
}

static int wait_end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/*
 * Has gnuplot draw what the script says. The script is in memory: gnuplot may end before it has
 * read all.
 */
static int run(struct kv_plot *p, struct kv_fault *f)
{
	/* -d: the user's settings do not count. */
	static char *const argv[] = { "gnuplot", "-d", NULL };
	int said = memfd_create("said", MFD_CLOEXEC), ret;
	posix_spawn_file_actions_t files;
	char why[1024] = "";
	pid_t pid;

	if (said < 0 || fflush(p->script) || posix_spawn_file_actions_init(&files)) {
		ret = kv_fault_no_memory(f);
		goto out_close;
	}
	lseek(fileno(p->script), 0, SEEK_SET);
	ret = posix_spawn_file_actions_adddup2(&files, fileno(p->script), STDIN_FILENO) ?:
	      posix_spawn_file_actions_adddup2(&files, p->out.file.fd, STDOUT_FILENO) ?:
	      posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO) ?:
	      posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (ret == ENOENT) {
		ret = kv_fault_set(f, -ENOENT, "--plot: there is no gnuplot in PATH; Debian: apt-get install gnuplot-nox; or write --json=FILE, and draw it elsewhere by 'kverbs plot FILE IMAGE'");
	} else if (ret) {
		ret = kv_fault_set(f, -ret, "--plot: cannot start gnuplot: %s", strerror(ret));
	} else if (wait_end(pid)) {
		read_last_line(said, why, sizeof(why));
		ret = kv_fault_set(f, -EIO, "--plot: gnuplot has failed: %s", *why ? why : "it does not say why");
	}
out_close:
	if (said >= 0)
		close(said);
	return ret;
}

/**
 * kv_plot_open() - find out before measuring whether there is a gnuplot, and begin a figure
 * @p: receives it; kv_plot_close() frees it
 * @path: the image, see kv_plot_check(); NULL: no figure is wanted
 */
int kv_plot_open(struct kv_plot *p, const char *path, struct kv_fault *f)
{
	int fd, ret;

	p->script = NULL;
	ret = kv_out_open(&p->out, "--plot", path, f);
	if (ret || !path)
		return ret;
	fd = memfd_create("script", MFD_CLOEXEC);
	p->script = fd < 0 ? NULL : fdopen(fd, "w");
	if (!p->script) {
		ret = kv_fault_no_memory(f);
		goto err_close;
	}
	ret = run(p, f);
	if (ret)
		goto err_close;
	fprintf(p->script, "set encoding utf8\nset terminal %s\nset grid\nset key tmargin horizontal center\n", find_terminal(path));
	return 0;

err_close:
	if (!p->script && fd >= 0)
		close(fd);
	kv_plot_close(p);
	return ret;
}

/**
 * kv_plot_commit() - draw the figure
 * @p: its script is complete; nothing happens if no figure is wanted
 * @f: receives the reason of a failure: then there is no image, or the one that was there before
 */
int kv_plot_commit(struct kv_plot *p, struct kv_fault *f)
{
	if (!p->script)
		return 0;
	return run(p, f) ?: kv_out_commit(&p->out, NULL, f);
}

/** kv_plot_close() - free a figure, drawn or not */
void kv_plot_close(struct kv_plot *p)
{
	if (p->script)
		fclose(p->script);
	p->script = NULL;
	kv_out_close(&p->out);
}

/**
 * kv_plot_quote() - write a string of gnuplot's language
 * @text: what the string is; its control characters become blanks
 */
void kv_plot_quote(FILE *script, const char *text)
{
	fputc('\'', script);
	for (; *text; text++)
		fprintf(script, "%s%c", *text == '\'' ? "'" : "", iscntrl((unsigned char)*text) ? ' ' : *text);
	fputc('\'', script);
}
