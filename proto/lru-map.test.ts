import { describe, expect, test } from 'vitest';
import { LruMap } from './lru-map.ts';

describe('a memory that is full', () => {
  test('forgets what was longest unused', () => {
    const memory = new LruMap<string, string>(2);
    memory.set('a', '1');
    memory.set('b', '2');
    memory.get('a');
    memory.set('c', '3');
    expect(['a', 'b', 'c'].map((key) => memory.get(key))).toEqual(['1', undefined, '3']);
  });

  test('forgets as many as the weight of all asks for, and what alone weighs too much', () => {
    const memory = new LruMap<string, string>(10, { most: 6, of: (text) => text.length });
    for (const text of ['aa', 'bb', 'cc']) memory.set(text, text);
    memory.set('aa', 'a');
    memory.set('dddd', 'dddd');
    expect(['aa', 'bb', 'cc', 'dddd'].map((key) => memory.get(key))).toEqual([
      'a',
      undefined,
      undefined,
      'dddd',
    ]);
    memory.set('eeeeeee', 'eeeeeee');
    expect(['aa', 'dddd', 'eeeeeee'].map((key) => memory.get(key))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    memory.set('ffffff', 'ffffff');
    expect(memory.get('ffffff')).toBe('ffffff');
  });

  test('keeps what is used again and again while others come and go', () => {
    const memory = new LruMap<number, string>(100);
    memory.set(-1, 'used');
    for (let at = 0; at < 1000; at += 1) {
      memory.set(at, 'other');
      memory.get(-1);
    }
    expect([memory.get(-1), memory.get(901), memory.get(900)]).toEqual([
      'used',
      'other',
      undefined,
    ]);
  });
});
