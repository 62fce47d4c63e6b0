/** Members of results that only some answers have. */

import { withoutAddresses } from './errors.ts';
import type { StatementReply } from './reply.ts';

/** Members that only some answers have. */
export function extras(answer: StatementReply, trace: string | undefined): string {
  const applied = appliedOf(answer);
  const { warnings } = answer.flags;
  return (
    (applied === undefined ? '' : `,"applied":${applied}`) +
    (warnings ? `,"warnings":${JSON.stringify(warnings.map(withoutAddresses))}` : '') +
    (trace === undefined ? '' : `,"trace":${trace}`)
  );
}

/** Whether a condition held: the server's answer to one begins with a column of that name. */
function appliedOf({ meta, raw, rowCount = 0 }: StatementReply): boolean | undefined {
  if (meta?.columns[0]?.name !== '[applied]' || !raw || rowCount === 0) return undefined;
  return raw.length > 4 && raw.readInt32BE(0) === 1 && raw[4] === 1;
}
