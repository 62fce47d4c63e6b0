/** Which commands wait for others, so that nobody else may wait behind them. */
import { expect, test } from 'vitest';
import { effectOf, waitPlace, withoutTrace } from './effects.ts';

const command = (line: string) => {
  const [type = '', ...args] = line.split(' ');
  return { type, args };
};

test.each<[line: string, at: number]>([
  ['blpop a b 0', 2],
  ['blmpop 0 1 a LEFT', 0],
  ['wait 1 0', 1],
  ['xread BLOCK 0 STREAMS x $', 1],
  ['xread COUNT 1 block 0 STREAMS BLOCK $', 3],
  ['xread BLOCK 1 BLOCK 0 STREAMS x $', 3],
  ['xreadgroup GROUP g c BLOCK 0 STREAMS x >', 4],
  ['xreadgroup BLOCK 0 GROUP g c STREAMS x >', 1],
  ['xreadgroup GROUP STREAMS c BLOCK 0 STREAMS x >', 4],
  ['xreadgroup GROUP BLOCK STREAMS BLOCK 0 STREAMS x >', 4],
  ['xreadgroup COUNT 1 GROUP g BLOCK NOACK BLOCK 0 STREAMS x >', 7],
])('%s waits as long as its word %i says', (line, at) => {
  expect(waitPlace(command(line))).toMatchObject({ at });
  expect(effectOf(command(line))).toBe('wait');
});

test.each([
  'xread STREAMS BLOCK $',
  'xread COUNT 1 STREAMS BLOCK STREAMS 0 0',
  'xreadgroup GROUP BLOCK c STREAMS x >',
  'xreadgroup GROUP g BLOCK NOACK STREAMS x >',
])('%s does not wait', (line) => {
  expect(waitPlace(command(line))).toBeUndefined();
  expect(effectOf(command(line))).toBe('none');
});

test.each([
  ['pfcount a', 'pfcount a a'],
  ['pfcount a b', 'pfcount a b'],
  ['pfcount', 'pfcount'],
  ['get a', 'get a'],
])('where nothing may change, %s is sent as %s', (line, sent) => {
  expect(withoutTrace(command(line))).toEqual(command(sent));
});
