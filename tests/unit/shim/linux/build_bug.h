/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/compiler.h>	/* BUILD_BUG_ON() */
