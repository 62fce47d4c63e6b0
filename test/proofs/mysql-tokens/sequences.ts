/** Sequences of tokens that are near to statements which read, with what writes hidden in them. */
import type { Choices } from '../random.ts';
import { CALLS, NAMES, NUMBERS, PLAIN, QUOTED } from './operands.ts';
import { COMPARING, INSERTED, SPACES, TABLES, TAILS } from './separators.ts';

/** One text; most begin as a read. */
export function sequence(choices: Choices): string {
  const text = joined(statementOf(choices), choices);
  if (!choices.chance(0.25)) return text;
  let mutated = text;
  for (let times = choices.chance(0.7) ? 1 : 3; times > 0; times -= 1)
    mutated = mutate(mutated, choices);
  return mutated;
}

function statementOf(choices: Choices): string[] {
  const select = selectOf(choices);
  const around = choices.next();
  if (around < 0.8) return select;
  if (around < 0.85) return ['(', ...select, ')'];
  if (around < 0.9)
    return [choices.pick(['EXPLAIN', 'DESC', 'ANALYZE', 'EXPLAIN EXTENDED']), ...select];
  if (around < 0.95) return ['WITH', 'w', 'AS', '(', ...select, ')', 'SELECT', '*', 'FROM', 'w'];
  return ['SELECT', '*', 'FROM', '(', ...select, ')', 'AS', 'i', ...tailOf(choices)];
}

function selectOf(choices: Choices): string[] {
  const tokens = ['SELECT', ...expression(choices)];
  while (choices.chance(0.3)) tokens.push(',', ...expression(choices));
  if (choices.chance(0.1)) return [...tokens, ...tailOf(choices)];
  if (choices.chance(0.6)) {
    tokens.push('FROM', choices.pick(TABLES));
    if (choices.chance(0.5)) tokens.push('WHERE', ...expression(choices));
    if (choices.chance(0.1)) tokens.push('ORDER', 'BY', ...expression(choices));
    if (choices.chance(0.1))
      tokens.push('LIMIT', choices.pick(['1', '1,1', '0x1', '1.', '1OFFSET 1']));
  }
  if (choices.chance(0.1)) tokens.push('UNION', ...selectOf(choices));
  return [...tokens, ...tailOf(choices)];
}

function tailOf(choices: Choices): string[] {
  return choices.chance(0.4) ? [choices.pick(TAILS)] : [];
}

function expression(choices: Choices): string[] {
  const first = operand(choices);
  const rest = choices.chance(0.3) ? [choices.pick(COMPARING), operand(choices)] : [];
  const alias = choices.chance(0.15)
    ? [choices.pick(['AS', '']), choices.pick(['a', '1b', '`x`', "'a'"])]
    : [];
  return [first, ...rest, ...alias].filter((token) => token !== '');
}

function operand(choices: Choices): string {
  if (choices.chance(0.4)) return choices.pick(PLAIN);
  const sort = choices.next();
  if (sort < 0.4) return choices.pick(NUMBERS);
  if (sort < 0.6) return choices.pick(QUOTED);
  return sort < 0.83 ? choices.pick(NAMES) : choices.pick(CALLS);
}

/** Glue is tried most where it may be taken for a boundary. */
function joined(tokens: readonly string[], choices: Choices): string {
  return tokens.reduce((text, token) => {
    const isBoundary = !/[A-Za-z_]$/.test(text) || !/^\w/.test(token);
    const glued = choices.chance(isBoundary ? 0.35 : 0.02);
    if (glued) return text + token;
    return text + (choices.chance(0.88) ? ' ' : choices.pick(SPACES)) + token;
  });
}

function mutate(text: string, choices: Choices): string {
  const at = Math.floor(choices.next() * (text.length + 1));
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const way = choices.next();
  if (way < 0.5) return before + choices.pick(INSERTED) + after;
  if (way < 0.7) return before + after.slice(1);
  if (way < 0.85) return before + choices.pick(SPACES) + after;
  return before + after.slice(0, 3) + after;
}
