// SPDX-License-Identifier: MIT
/* The options of perftest, for the refusals of the commands that measure. */
#include "cmd/options.h"

#define STREAMS(option) "'kverbs bw' has it, as " option ", for many requests outstanding"
#define BY_HAND(key) "measurements do not set it; by hand 'kverbs qp modify' takes " key
#define HISTOGRAM "the histogram is in the document of --json=FILE"
#define HOST_MEMORY "buffers are in the memory of the host's processors"
#define ADDRESSES "'kverbs serve' exchanges the addresses over TCP; with -R the RDMA CM connects the QPs"
#define MULTICAST "kverbs measures no multicast; examples/18-multicast.kv sends to a group by hand"
#define SCHEDULE "'kverbs bw --rate N' sends N requests a second, on a schedule"

/*
 * If a command has an option with the letter of a row, the refusal of the long name tells that
 * option in place of @here.
 */
const struct kv_foreign kv_perftest[] = {
	{ "all", 'a', "'kverbs compare --sizes all' and 'kverbs bw --size all' measure all sizes" },
	{ "atomic-type", 'A', "here it is --op fetch-add or --op cmp-swp" },
	{ "bidirectional", 'b', STREAMS("--both-ways") },
	{ "com-rdma-cm", 'z', ADDRESSES },
	{ "comm-rdma-cm", 'z', ADDRESSES },
	{ "connection", 'c', NULL },
	{ "CPU-freq", 'F', "it is not needed: kverbs measures at any frequency of the CPUs" },
	{ "cpu-util", 0, "here it is --stats" },
	{ "cq-mod", 'Q', STREAMS("--signal") },
	{ "dlid", 0, "the LID of the other end is exchanged, as are its QPN and its GID" },
	{ "dualport", 'O', "a run has one port of each device: --ib-port" },
	{ "duration", 'D', NULL },
	{ "events", 'e', NULL },
	{ "flow-label", 0, BY_HAND("flow-label") },
	{ "hop-limit", 'L', BY_HAND("hop-limit") },
	{ "ib-dev", 'd', NULL },
	{ "inline-size", 'I', NULL },
	{ "ipv6", 0, "--gid-index chooses the GID" },
	{ "iters", 'n', "here it is --duration (-D): a time, and not a number of iterations" },
	{ "mcg", 'g', MULTICAST },
	{ "MGID", 'M', MULTICAST },
	{ "noPeak", 'N', "it is not needed: kverbs does not measure the peak of the bandwidth" },
	{ "out-json", 0, "here it is --json=FILE" },
	{ "out-json-file", 0, "here it is --json=FILE" },
	{ "output", 0, "here it is --csv, or --json" },
	{ "outs", 'o', "as many READs and atomics of a stream are outstanding as both devices can" },
	{ "perform-warm-up", 0, "it is not needed: each measurement begins with operations that are not counted" },
	{ "pkey-index", 0, BY_HAND("pkey-index") },
	{ "post-list", 'l', STREAMS("--list") },
	{ "qp", 'q', "'kverbs bw' and 'kverbs scale' have it, as --qps" },
	{ "qp-timeout", 'u', NULL },
	{ "rate-limit", 0, SCHEDULE },
	{ "burst-size", 0, SCHEDULE },
	{ "rdma-cm", 'R', NULL },
	{ "report-both", 0, "the figures of --both-ways are sums of both directions" },
	{ "report-counters", 'W', "each result has the packets that were lost, late or sent again; 'rdma statistic show' has all counters" },
	{ "report-cycles", 'C', "kverbs prints times; 'kverbs --version' tells the frequency of the counter" },
	{ "report-gbits", 0, "the bandwidth is in millions of bytes a second: 125 are 1 Gbit/s" },
	{ "report-histogram", 'H', HISTOGRAM },
	{ "report-unsorted", 'U', HISTOGRAM },
	{ "retry-count", 0, "here it is --retry-cnt" },
	{ "run-infinitely", 0, "each run has an end: --duration takes up to 24h" },
	{ "rx-depth", 'r', STREAMS("--rx-depth") },
	{ "sl", 'S', BY_HAND("sl") },
	{ "source-ip", 0, "--gid-index chooses the GID, and with it the address" },
	{ "tclass", 0, BY_HAND("traffic-class") },
	{ "tos", 'T', BY_HAND("traffic-class") },
	{ "tx-depth", 't', STREAMS("--depth") },
	{ "use-cuda", 0, HOST_MEMORY },
	{ "use-rocm", 0, HOST_MEMORY },
	{ "use-old-post-send", 0, "here it is --api post, the default" },
	{ "use-srq", 0, "'kverbs bw' and 'kverbs scale' have --srq" },
	{ "version", 'V', "here it is 'kverbs --version'" },
	{ .word = NULL },
};
