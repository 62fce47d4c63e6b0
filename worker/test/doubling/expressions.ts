/** Expressions, functions and patterns as callers write them. */
import { type Subject, text } from '../../../test/proofs/doubling/subject.ts';
import { compileExpression, compileFunctions } from '../../language/expressions/index.ts';
import { compiled as compiledPattern } from '../../language/expressions/pattern.ts';
import { toLinear } from '../../language/expressions/regex/translate.ts';

/** Of expressions. */
export const EXPRESSIONS: readonly Subject[] = [
  text(
    'an expression',
    ['worker/language/expressions/parse.ts', 'worker/language/expressions/compile'],
    (each) => compileExpression(each, { names: ['$'], members: '$' }),
    65_536,
  ),
  text(
    'an expression in brackets',
    ['worker/language/expressions/parse.ts'],
    (each) => compileExpression(`[${each}]`, { names: ['$'], members: '$' }),
    65_536,
  ),
  text(
    'a function',
    ['worker/language/expressions/functions.ts', 'worker/language/expressions/compile'],
    (each) => compileFunctions({ f: `(a) => { ${each} }` }),
    65_536,
  ),
  text(
    'functions',
    ['worker/language/expressions/functions.ts'],
    (each) => compileFunctions({ f: each, g: '() => f()' }),
    65_536,
  ),
  text(
    'a regular expression',
    ['worker/language/expressions/pattern.ts', 'worker/language/expressions/regex/translate.ts'],
    (each) => [toLinear(each, { captures: true }), compiledPattern(each, 'g')],
  ),
];
