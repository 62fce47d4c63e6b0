/** Short words for shares in tests. */
import { randomBytes } from 'node:crypto';
import type { Mode } from '../../proto/driver.ts';
import type { Json } from '../../proto/json.ts';
import type { Beginning, Isolation, Share } from '../../proto/prepares.ts';

/** A name of a share, of a log and transaction of its own unless they are given. */
export function shareName(transaction = transactionPrefix(), participant = 0): string {
  return `${transaction}${participant}`;
}

/** What all names of one transaction begin with. */
export function transactionPrefix(): string {
  const word = () => randomBytes(11).toString('hex');
  return `causeway_${word()}_${word()}_`;
}

/** What a share begins as. */
export function beginning(name: string, isolation?: Isolation): Beginning {
  return { name, isolation, onePhase: false };
}

/** A share of operations, at places 0, 1 and so on. */
export function share<Request>(
  requests: readonly Request[],
  { mode = 'write' as Mode, recoverable = false, earlier = [] as readonly Json[] } = {},
): Share<Request> {
  const operations = requests.map((request, index) => ({
    place: earlier.length + index,
    mode,
    request,
  }));
  return { operations, earlier: (place) => earlier[place], recoverable };
}
