/** Scenarios of values and of control: set, switch, for, branch, do, flow. */
import { append, type Scenario, set, succeeds } from './scenario.ts';

const SHAPE = {
  size: { width: 6, height: 6 },
  fill: { red: 69, green: 69, blue: 69 },
};
const COLORS = { red: set('setRed', append("'red'")), green: set('setGreen', append("'green'")) };

/** Those that are run. */
export const CONTROL: readonly Scenario[] = [
  {
    feature: 'set',
    scenario: 'Set Task',
    definition: {
      actions: [
        set('setShape', {
          shape: 'circle',
          size: '$.input.configuration.size',
          fill: '$.input.configuration.fill',
        }),
      ],
    },
    input: { configuration: SHAPE },
    ends: succeeds({ shape: 'circle', ...SHAPE }),
    ran: ['setShape'],
  },
  {
    feature: 'switch',
    scenario: 'Switch task with matching case',
    definition: {
      actions: [
        {
          id: 'switchColor',
          type: 'dynamicAction',
          selection: { expression: '$.input.color', options: COLORS },
        },
      ],
    },
    input: { color: 'red' },
    ends: succeeds({ colors: ['red'] }),
    ran: ['switchColor', 'switchColor.setRed'],
  },
  {
    feature: 'switch',
    scenario: 'Switch task with implicit default case',
    note: 'A dynamicAction without a default fails with NO_OPTION; conditions one after the other end where none holds',
    definition: {
      actions: [
        {
          id: 'switchColor',
          type: 'condition',
          condition: "$.input.color === 'red'",
          true: 'setRed',
          false: 'isGreen',
        },
        {
          id: 'isGreen',
          type: 'condition',
          condition: "$.input.color === 'green'",
          true: 'setGreen',
          false: null,
        },
        COLORS.red,
        COLORS.green,
      ],
      output: '$($.actions.setRed.output ?? $.actions.setGreen.output ?? $.input)',
    },
    input: { color: 'yellow' },
    ends: succeeds({ color: 'yellow' }),
    ran: ['switchColor', 'isGreen'],
  },
  {
    feature: 'switch',
    scenario: 'Switch task with explicit default case',
    definition: {
      actions: [
        {
          id: 'switchColor',
          type: 'dynamicAction',
          selection: {
            expression: '$.input.color',
            options: COLORS,
            default: set('setCustomColor', append('$.input.color')),
          },
        },
      ],
    },
    input: { color: 'yellow' },
    ends: succeeds({ colors: ['yellow'] }),
    ran: ['switchColor', 'switchColor.setCustomColor'],
  },
  {
    feature: 'for',
    scenario: 'For Task',
    note: 'An element does not see what those before it made: aggregation makes one value of all',
    definition: {
      actions: [
        {
          id: 'loopColors',
          type: 'loop',
          collection: '$.input.colors',
          as: 'color',
          index: 'index',
          action: set('markProcessed', { color: '$.color', index: '$.index' }),
          aggregation: {
            colors: '$.results.map(each => each.color)',
            indexes: '$.results.map(each => each.index)',
          },
          output: { processed: { colors: '$.output.colors', indexes: '$.output.indexes' } },
        },
      ],
    },
    input: { colors: ['red', 'green', 'blue'] },
    ends: succeeds({ processed: { colors: ['red', 'green', 'blue'], indexes: [0, 1, 2] } }),
    ran: [
      'loopColors',
      'loopColors[0].markProcessed',
      'loopColors[1].markProcessed',
      'loopColors[2].markProcessed',
    ],
  },
  {
    feature: 'branch',
    scenario: 'Fork Task With Competing Concurrent Sub Tasks',
    note: 'Branches do not compete: all of them end, and joinResults has the output of each',
    definition: {
      actions: [
        {
          id: 'branches',
          type: 'parallel',
          joinResults: true,
          branches: [COLORS.red, COLORS.green],
        },
      ],
    },
    input: {},
    ends: succeeds({ setRed: { colors: ['red'] }, setGreen: { colors: ['green'] } }),
    ran: ['branches', 'branches[0].setRed', 'branches[1].setGreen'],
  },
  {
    feature: 'do',
    scenario: 'Task With Sequential Sub Tasks',
    note: 'A list of actions stands where one may: in a branch, here a single one',
    definition: {
      actions: [
        {
          id: 'compositeExample',
          type: 'parallel',
          joinResults: true,
          branches: [
            [
              set('setRed', append("'red'"), { next: 'setGreen' }),
              set('setGreen', append("'green'", '$.actions.setRed.output'), { next: 'setBlue' }),
              set('setBlue', append("'blue'", '$.actions.setGreen.output')),
            ],
          ],
          output: '$.output.setRed',
        },
      ],
    },
    input: {},
    ends: succeeds({ colors: ['red', 'green', 'blue'] }),
    ran: [
      'compositeExample',
      'compositeExample[0].setRed',
      'compositeExample[0].setGreen',
      'compositeExample[0].setBlue',
    ],
  },
  {
    feature: 'flow',
    scenario: 'Explicit Sequence Flow',
    definition: {
      actions: [
        set('setRed', append("'red'"), { next: 'setGreen' }),
        set('setBlue', append("'blue'", '$.actions.setGreen.output'), { next: null }),
        set('setGreen', append("'green'", '$.actions.setRed.output'), { next: 'setBlue' }),
      ],
    },
    input: {},
    ends: succeeds({ colors: ['red', 'green', 'blue'] }),
    ran: ['setRed', 'setGreen', 'setBlue'],
  },
];
