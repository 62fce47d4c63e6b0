/** Bodies in several shapes: parsed by the one that is meant, shown with all. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { either } from './either.ts';

const Named = z.strictObject({ name: z.string() });
const Listed = z.strictObject({ names: z.array(z.string()).min(1) });
const Counted = z
  .strictObject({ count: z.int() })
  .transform(({ count }) => ({ doubled: 2 * count }));
const Choice = either(
  either(Named, Listed, (body) => 'names' in body),
  Counted,
  (body) => 'count' in body,
).meta({ description: 'Any of three' });

describe('a body in several shapes', () => {
  test.each([
    [{ name: 'ada' }, { name: 'ada' }],
    [{ names: ['ada'] }, { names: ['ada'] }],
    [{ count: 2 }, { doubled: 4 }],
  ])('%j is %j', (body, parsed) => expect(Choice.parse(body)).toEqual(parsed));

  test.each([
    [{ name: 1 }, ['name']],
    [{ names: [] }, ['names']],
    [{ names: ['ada', 1] }, ['names', 1]],
    [{ count: 'two' }, ['count']],
    [{ nmae: 'ada' }, ['name']],
    ['ada', []],
    [null, []],
    [undefined, []],
  ])('%j is at fault at %j, which its sender meant', (body, path) => {
    const { error } = Choice.safeParse(body);
    expect(error?.issues[0]?.path).toEqual(path);
    expect(error?.issues[0]?.code).not.toBe('invalid_union');
  });

  test('is shown with every shape as it is sent', () => {
    const { anyOf, description } = z.toJSONSchema(Choice, { io: 'input' });
    const shown = anyOf?.map(({ properties }) => Object.keys(properties ?? {}));
    expect({ shown, description }).toEqual({
      shown: [['name'], ['names'], ['count']],
      description: 'Any of three',
    });
  });
});
