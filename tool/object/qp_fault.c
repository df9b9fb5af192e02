// SPDX-License-Identifier: MIT
/* The reason of a failed transition of a QP, in the words of the commands. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "object/object.h"
#include "rules/qp_table.h"

static const struct kv_key *modify_keys(void)
{
	return kv_command_find(kv_noun_find("qp"), "modify")->key;
}

/* Is it the key's name, with underscores? */
static bool is_field_of(const char *word, size_t n, const char *key)
{
	if (strlen(key) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (word[i] != (key[i] == '-' ? '_' : key[i]))
			return false;
	}
	return true;
}

/* A backend's text has names of fields, "sq_psn"; the command's keys are "sq-psn". */
static void name_keys(char *text)
{
	size_t n;

	for (; *text; text += n ?: 1) {
		n = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
		for (const struct kv_key *k = modify_keys(); k->name; k++) {
			if (is_field_of(text, n, k->name))
				memcpy(text, k->name, n);
		}
	}
}

/**
 * kv_qp_fault_step() - say why the backend refused a value
 * @error: errno that the backend returned
 *
 * Return: @error
 */
int kv_qp_fault_step(struct kv_session *s, int error, struct kv_fault *f)
{
	kv_session_refuse(s, error, f);
	name_keys(f->text);
	return error;
}

/* @bits: KV_QPA_*; if several keys make one attribute, the first key is named. */
static void append_keys(struct kv_fault *f, const char *what, uint32_t bits)
{
	for (const struct kv_key *k = modify_keys(); k->name && bits; k++) {
		if (!(k->bits & bits))
			continue;
		kv_append(f->text, sizeof(f->text), "%s%s", what, k->name);
		bits &= ~k->bits;
		what = ", ";
	}
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/*
 * The table reports one wrong attribute at a time. The loop corrects the attribute in @mask and
 * asks again, so that the message names all. The first is left out if the text in @f has it.
 */
static void blame_all(struct kv_fault *f, const struct kv_qp *qp, const struct kv_qp_attr *attr)
{
	uint32_t from = qp->attr.state, mask = attr->mask;
	uint32_t missing = 0, useless = 0;
	struct kv_refusal wrong;

	if (!kv_qp_table_check(qp->type, from, attr->state, mask, &wrong))
		return;
	if (!wrong.attr) {
		/* The prefix 'state' adds no information. */
		if (ends_with(f->text, wrong.text))
			snprintf(f->text, sizeof(f->text), "%s", wrong.text);
		return;
	}
	if (ends_with(f->text, wrong.text)) {
		/* Another transition to that state may take the attribute. */
		if (ends_with(wrong.text, "does not take it"))
			kv_append(f->text, sizeof(f->text), " (from %s)", kv_qp_state_name(from));
		mask ^= wrong.attr;
	}
	while (kv_qp_table_check(qp->type, from, attr->state, mask, &wrong)) {
		if (mask & wrong.attr)
			useless |= wrong.attr;
		else
			missing |= wrong.attr;
		mask ^= wrong.attr;
	}
	append_keys(f, "; also missing: ", missing);
	append_keys(f, "; also of no use here: ", useless);
}

/**
 * kv_qp_fault_modify() - say why the backend refused a transition
 * @id: the QP
 * @attr: the transition and its attributes
 * @error: errno that the backend returned
 * @f: receives the reason, with all attributes that are missing or not allowed
 *
 * Return: @error
 */
int kv_qp_fault_modify(struct kv_session *s, uint32_t id, const struct kv_qp_attr *attr, int error,
		       struct kv_fault *f)
{
	union kv_object object;

	kv_session_refuse(s, error, f);
	if (error == -EINVAL && !kv_op_get(s->b, KV_QP, id, &object) &&
	    object.qp.attr.mask & KV_QPA_STATE)
		blame_all(f, &object.qp, attr);
	name_keys(f->text);
	return error;
}

/**
 * kv_iwarp_check() - refuse a QP on iWARP
 * @qp: id of the QP
 * @why: KV_IWARP_*
 * @f: receives the refusal, with the device's name
 *
 * Return: -EOPNOTSUPP for a QP on iWARP; 0 for other QPs, and for a QP that does not exist, which
 * the operation itself refuses.
 */
int kv_iwarp_check(struct kv_session *s, uint32_t qp, const char *why, struct kv_fault *f)
{
	union kv_object object;
	struct kv_dev dev;

	if (kv_op_get(s->b, KV_QP, qp, &object) ||
	    kv_op_dev_get(s->b, &(struct kv_dev_name){ object.qp.dev }, &dev, NULL) ||
	    !kv_dev_is_iwarp(&dev))
		return 0;
	return kv_fault_set(f, -EOPNOTSUPP, "%s: %s", dev.name, why);
}
