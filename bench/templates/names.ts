/** Who takes part in bench/templates.ts. */

export const NAMES = ['template', 'by hand', 'jsonata'] as const;
export type Name = (typeof NAMES)[number];
