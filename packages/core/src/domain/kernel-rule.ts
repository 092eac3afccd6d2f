// Rules by which an administrator marks kernels as bad.
import * as z from 'zod';
import { text, UnixFraction } from './primitives.ts';

/** Maximum number of patterns: the kernel of each agent is matched against all of them. */
export const KERNEL_RULES_MAX = 200;

/** A pattern of kernels. */
export const KernelRule = z.object({
  id: z.int(),
  pattern: z.string(),
  reason: z.string(),
  agents: z.int().meta({ description: 'Number of agents with a matching kernel' }),
  created: UnixFraction,
  created_by: z.string(),
});
export type KernelRule = z.infer<typeof KernelRule>;

/** A pattern of kernels to be created. */
export const KernelRuleDraft = z.object({
  pattern: text(200)
    .min(1)
    .regex(/^[^\s]+$/, 'must not contain spaces')
    .meta({ description: 'Complete kernel name; * matches any text, ? any character: 5.10.0-2?-*' }),
  reason: text(500).min(1).meta({ description: 'Shown with each matching agent' }),
});
export type KernelRuleDraft = z.infer<typeof KernelRuleDraft>;

/** Reports whether a kernel matches a pattern, in time of at most the product of both lengths. */
export function matchesKernel(pattern: string, kernel: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let resume = 0;
  while (at < kernel.length) {
    const wanted = pattern[place];
    if (wanted === '*') {
      star = place++;
      resume = at;
    } else if (wanted === '?' || wanted === kernel[at]) {
      place += 1;
      at += 1;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[place] === '*') place += 1;
  return place === pattern.length;
}
