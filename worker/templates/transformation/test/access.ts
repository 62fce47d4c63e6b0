/** A stand-in for a data-access template, for tests of what nests one. */
import { GatewayError } from '../../../../proto/errors.ts';
import type { Json } from '../../../../proto/json.ts';
import type { Compiled, Reference, Rendered } from '../../compiled.ts';

/** Data access that answers what it was given, later, and counts what is under way. */
export function access(
  level: Reference & { kind: 'endpoint' } extends { level: infer Level } ? Level : never = 'Read',
) {
  const seen = { underWay: 0, most: 0, inputs: [] as Json[] };
  const request = { endpoint: 'db', operation: 'read', request: {} } as const;
  const compiled: Compiled = {
    references: [{ kind: 'endpoint', id: 'db', path: 'template.endpoint', level }],
    usesNow: false,
    weight: 1,
    cacheTtlS: undefined,
    run: async (input) => {
      seen.inputs.push(input);
      seen.underWay += 1;
      seen.most = Math.max(seen.most, seen.underWay);
      // Later ones are done sooner.
      for (let turn = 0; turn < 20 - Number(input); turn += 1) await Promise.resolve();
      seen.underWay -= 1;
      if (input === 'down') throw new GatewayError('TIMED_OUT', 'The backend took too long');
      return { got: input };
    },
    render: (): Rendered => ({
      success: true,
      inputValidation: { valid: true },
      output: null,
      transformationSteps: [{ rule: 'Read', transformations: [], request }],
      outputValidation: { valid: true },
    }),
  };
  return { compiled, seen };
}
