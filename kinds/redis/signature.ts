/** A command's members in a line of the API's description. */
import type { Scope } from './grammar.ts';
import { commandNamed } from './table.ts';

/** `zadd key, [exist], [size], [ch], [incr], scores`; a command whose members are not known has its name alone. */
export function signatureOf(type: string): string {
  const grammar = commandNamed(type)?.grammar;
  const members = grammar === undefined ? ['args'] : membersOf(grammar);
  return members.length === 0 ? `\`${type}\`` : `\`${type}\` ${members.join(', ')}`;
}

function membersOf({ nodes }: Scope): string[] {
  return nodes.flatMap((node) => {
    if (node.is === 'literal' || node.is === 'count') return [];
    const isRequired = node.is !== 'flag' && node.is !== 'ignored' && !node.optional;
    return isRequired ? (node.names[0] ?? []) : `[${node.names[0]}]`;
  });
}
