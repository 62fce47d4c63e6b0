/** All that the worker reads of a request besides bodies. */
import type { Subject } from '../../../test/proofs/doubling/subject.ts';
import { JSON_UTILITIES, PATHS } from './documents.ts';
import { EXPRESSIONS } from './expressions.ts';
import { HTTP } from './http.ts';
import { SCHEMAS } from './schemas.ts';

/** By area. */
export const WORKER: readonly Subject[] = [
  ...HTTP,
  ...PATHS,
  ...JSON_UTILITIES,
  ...SCHEMAS,
  ...EXPRESSIONS,
];
