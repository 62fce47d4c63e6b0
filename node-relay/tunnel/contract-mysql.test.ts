/** The suite of every driver, of kind mysql, through a tunnel. */
import { describeDriver } from '../drivers/contract.ts';
import { mysqlContract } from '../drivers/mysql/contract-case.ts';
import { throughTunnel } from './test/driver.ts';

describeDriver(...throughTunnel('mysql', mysqlContract));
