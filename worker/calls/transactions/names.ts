/** Names of transactions, and of their shares in backends. Spec: transactions.md §3. */

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;
const NAME = /^causeway_([0-9A-Za-z]{22})_([0-9A-Za-z]{22})_(\d{1,2})$/;

/** 22 random letters and digits: 130 bits. */
export function randomName(): string {
  let name = '';
  while (name.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // What is above is left out, so that every letter is as likely as any other.
      if (byte < 4 * LETTERS.length && name.length < LENGTH) {
        name += LETTERS.charAt(byte % LETTERS.length);
      }
    }
  }
  return name;
}

/** What the names of all transactions of a log begin with in backends. */
export function prefixOf(log: string): string {
  return `causeway_${log}_`;
}

/** The name of a share in its backend: at most 58 bytes; XA allows 64. */
export function nameOf(log: string, transaction: string, share: number): string {
  return `${prefixOf(log)}${transaction}_${share}`;
}

/** What a name in a backend says; undefined where it is no such name. */
export function readName(
  name: string,
): { readonly log: string; readonly transaction: string; readonly share: number } | undefined {
  const [, log, transaction, share] = NAME.exec(name) ?? [];
  if (log === undefined || transaction === undefined) return undefined;
  return { log, transaction, share: Number(share) };
}
