/** Checks what a client sent against a schema, and says what is wrong with all of it. */
import type { ZodError, ZodType } from 'zod';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { faultsOf, IN_OUR_WORDS } from '../../proto/schema-faults.ts';

/**
 * The parsed value.
 * @param where names the part for members without a path: `path`, `query` or `body`
 * @throws GatewayError BAD_REQUEST with each fault's path
 */
export function parse<T>(schema: ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value, IN_OUR_WORDS);
  if (parsed.success) return parsed.data;
  if (value === undefined) throw badRequest(where, 'is required');
  throw misfit(parsed.error, where);
}

/** The error for a value that does not fit; names every fault with its path. */
function misfit(error: ZodError, where: string): GatewayError {
  const details = faultsOf(error, where);
  const [first] = details;
  const message = first ? `${first.path}: ${first.message}` : `The ${where} is not as it should be`;
  return new GatewayError('BAD_REQUEST', message, { details });
}
