/**
 * What the gateway asks of its JSON worker, over HTTP: all the work on one large body. The body is
 * the request's, the job its header.
 */
import * as z from 'zod';
import type { ErrorBody } from './errors.ts';

/** Carries the job, as JSON in ASCII. */
export const JOB_HEADER = 'X-Job';
/** Carries what is told of the body next to the reply's bytes: JSON, percent-encoded. */
export const TOLD_HEADER = 'X-Told';

/** The JSON utilities, by their names. Spec: "JSON utilities". */
export const UtilityName = z.enum(['flatten', 'unflatten', 'map', 'parse', 'reduce']);
export type UtilityName = z.infer<typeof UtilityName>;

/** What is done with a body: a JSON utility, or a request or a transaction is read for an endpoint of a kind. */
export const BodyWork = z.discriminatedUnion('name', [
  z.strictObject({ name: UtilityName }),
  z.strictObject({ name: z.enum(['request', 'transaction']), kind: z.string() }),
]);
export type BodyWork = z.infer<typeof BodyWork>;

export const Job = z.strictObject({
  /** Whose turn it takes: the UUID of an organization. */
  owner: z.string(),
  work: BodyWork,
  /** Settings of the gateway, in bytes. */
  limits: z.strictObject({
    BODY_MAX_BYTES: z.int().min(1),
    RESULT_MAX_BYTES: z.int().min(1),
  }),
});
export type Job = z.infer<typeof Job>;

/** How a job ended, by the status of its reply. */
export const ENDED = {
  /** The reply is what was made of the body. */
  done: 200,
  /** The reply is a `Refusal`. */
  refused: 422,
  /** Nothing was done: too much waits. */
  full: 503,
  /** It needed more memory or time than one job has. */
  broken: 507,
} as const;

/** Why a body was refused. */
export interface Refusal extends Pick<ErrorBody, 'code' | 'message' | 'details'> {
  /** Whether the body itself was, or the work on it failed. */
  readonly stage: 'body' | 'work';
}
