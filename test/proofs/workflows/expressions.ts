/** Random expressions that JavaScript and the gateway's language read alike. */
import type { Json } from '../../../proto/json.ts';
import type { Choices } from '../random.ts';

/** What an expression may name. */
export interface Visible {
  readonly ids: readonly string[];
  readonly loops: readonly { readonly as: string; readonly index?: string }[];
  readonly hasError: boolean;
}

/** Makes expressions for one place. */
export function expressionsOf(choices: Choices, { ids, loops, hasError }: Visible) {
  const action = () => {
    const id = choices.pickAny(ids);
    return id === undefined ? undefined : `$.actions.${id}`;
  };
  const element = () => {
    const loop = choices.pickAny(loops);
    return (
      loop && (loop.index !== undefined && choices.chance(0.5) ? `$.${loop.index}` : `$.${loop.as}`)
    );
  };

  function number(): string {
    const from = action();
    const item = element();
    if (item !== undefined && choices.chance(0.5)) return item;
    if (from !== undefined && choices.chance(0.7)) {
      return choices.pick([`${from}?.output?.n ?? 0`, `${from}?.attempts ?? 0`]);
    }
    if (choices.chance(0.02)) return '$.input.n()';
    return choices.pick(['$.input.n', '3', '$.input.list.length']);
  }

  function truth(): string {
    const from = action();
    if (from !== undefined && choices.chance(0.5)) {
      return choices.pick([
        `${from}?.status === 'succeeded'`,
        `${from}?.output?.n > 4`,
        `${from}?.output`,
        `${from}?.status`,
      ]);
    }
    if (choices.chance(0.2)) return "$.error?.code === 'CONNECTION_FAILED'";
    return `(${number()}) > ${choices.pick(['1', '4', '8'])}`;
  }

  return {
    number,
    truth,
    list(): string {
      const from = action();
      if (choices.chance(0.04)) return '$.input.n';
      if (from !== undefined && choices.chance(0.4)) return `${from}?.output?.list ?? [1]`;
      return choices.pick(['$.input.list', '[1, 2, 3]', `[${number()}, 2]`, '[]']);
    },
    input(): { [member: string]: Json } {
      const error = hasError || choices.chance(0.2) ? { error: "$($.error?.code ?? 'none')" } : {};
      return { v: `$(${number()})`, text: '$$.v', ...error };
    },
    key(): string {
      return choices.pick([
        '$.input.n',
        `(${number()})`,
        "'key'",
        `$.input.${choices.pick(['n', 'n', 'none'])}`,
      ]);
    },
  };
}
