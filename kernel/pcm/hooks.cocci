// SPDX-License-Identifier: GPL-2.0-only
//
// The lines that change inside the upstream pcm_native.c, once for all kernels.
// The logic is in the files beside this one. How often each rule must land is
// said by the line `//= RULE | FILE | COUNT [SERIES=COUNT] | TEXT` above it: see
// kernel/assemble, which proves it.

// Ours look at the command first and call the stock ones for all they do not know.
//= pcm_ioctl | pcm_native.c | 2 | pcm_short_ioctl,
@pcm_ioctl@
symbol snd_pcm_ioctl;
@@
 {
 	.unlocked_ioctl =
-	snd_pcm_ioctl
+	pcm_short_ioctl
 	,
 }

//= pcm_ioctl_compat | pcm_native.c | 2 | pcm_short_ioctl_compat,
@pcm_ioctl_compat@
symbol snd_pcm_ioctl_compat;
@@
 {
 	.compat_ioctl =
-	snd_pcm_ioctl_compat
+	pcm_short_ioctl_compat
 	,
 }

//= pcm_power | pcm_native.c | 1 | pcm_short_power_wait(
@pcm_power@
symbol substream;
@@
 snd_pcm_common_ioctl(...)
 {
 	<...
-	snd_power_wait(substream->pcm->card)
+	pcm_short_power_wait(substream->pcm->card)
 	...>
 }
