/** What an example is, and all of them by their families. */
import type { Json } from '../../../../proto/json.ts';

/** Members of a request, by its type. */
export type Examples = { readonly [type: string]: { readonly [member: string]: Json } };
