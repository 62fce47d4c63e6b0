/** COMMIT of a transaction that has failed, which is a success to the server. Source: PostgreSQL manual, "COMMIT". */
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { openingWord } from '../../../kinds/postgres/dialect/opening-word.ts';
import { GatewayError } from '../../../proto/errors.ts';

const COMMITS = new Set(['commit', 'end']);

/** Refuses a COMMIT that undid what it was to keep. @throws GatewayError REQUEST_FAILED */
export function demandCommitted({ text }: Statement, tag: string): void {
  if (tag !== 'ROLLBACK' || !COMMITS.has(openingWord(text))) return;
  const message = 'The transaction had failed: COMMIT has undone it';
  const details = [{ source: 'postgres', code: '25P02', message }];
  throw new GatewayError('REQUEST_FAILED', message, { details });
}
