/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_ASM_IBT_H
#define _UNIT_ASM_IBT_H

#define __noendbr

#endif /* _UNIT_ASM_IBT_H */
