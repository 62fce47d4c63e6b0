/** The suite of every driver, of kind clickhouse, through a tunnel. */

import { clickhouseContract } from '../drivers/clickhouse/contract-case.ts';
import { describeDriver } from '../drivers/contract.ts';
import { throughTunnel } from './test/driver.ts';

describeDriver(...throughTunnel('clickhouse', clickhouseContract));
