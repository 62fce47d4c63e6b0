/** Estimates what parsing a request's SQL statements costs; it cannot be divided. */

/** Characters up to which a statement counts for nothing. */
const LIGHT_LENGTH = 16 * 1024;
/** Characters that PostgreSQL's parser, the slowest of all, reads in a millisecond. */
const LENGTH_OF_A_MS = 1_500;

/** Milliseconds for the statement of a request, or those of several. */
export function statementMs(request: unknown): number {
  const length = lengthOf(request);
  return length <= LIGHT_LENGTH ? 0 : length / LENGTH_OF_A_MS;
}

function lengthOf(request: unknown): number {
  if (Array.isArray(request)) {
    return request.reduce((sum: number, each) => sum + lengthOf(each), 0);
  }
  if (typeof request !== 'object' || request === null || !('query' in request)) return 0;
  return typeof request.query === 'string' ? request.query.length : 0;
}
