/** Promises of the resolution of levels, held against the contract's five sentences. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectiveLevel, LEVELS, type Level, reaches } from './levels.ts';

describe('the level in force', () => {
  test.each<[string, Level[], Level[], Level]>([
    ['an explicit None on the organization denies', ['None'], ['SuperAdmin'], 'None'],
    ['SuperAdmin of the organization is unrestricted', ['SuperAdmin'], ['None'], 'SuperAdmin'],
    ['a rule on the resource lowers', ['Admin'], ['Read'], 'Read'],
    ['a rule on the resource raises', ['Read'], ['Admin'], 'Admin'],
    ['None on the resource denies', ['Admin'], ['None'], 'None'],
    ['without one the organization counts', ['Write'], [], 'Write'],
    ['without any rule there is no access', [], [], 'None'],
    ['a rule on the resource alone counts', [], ['Write'], 'Write'],
    ['of several rules the most restrictive counts', ['SuperAdmin', 'Read'], [], 'Read'],
    ['also on the resource', ['Read'], ['Admin', 'Write'], 'Write'],
  ])('%s', (_promise, onOrganization, onResource, level) => {
    expect(effectiveLevel({ onOrganization, onResource })).toBe(level);
  });

  test('agrees with a straightforward reading of the contract', () => {
    const levels = fc.array(fc.constantFrom(...LEVELS), { maxLength: 4 });
    void fc.assert(
      fc.property(levels, levels, (onOrganization, onResource) => {
        expect(effectiveLevel({ onOrganization, onResource })).toBe(
          asTheContractSays(onOrganization, onResource),
        );
      }),
      { numRuns: 5_000 },
    );
  });
});

/** Written from the contract's list alone, one sentence a line. */
function asTheContractSays(organization: Level[], resource: Level[]): Level {
  if (organization.includes('None')) return 'None';
  const lowest = (levels: Level[]) =>
    levels.reduce((one, other) => (reaches(one, other) ? other : one));
  if (organization.length > 0 && organization.every((each) => each === 'SuperAdmin')) {
    return 'SuperAdmin';
  }
  if (resource.length > 0) return lowest(resource);
  if (organization.length > 0) return lowest(organization);
  return 'None';
}
