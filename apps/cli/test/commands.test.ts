// The commands on a real server. They share it, because its start costs more than all of them.
import { NO_TRANSPORTS } from '../../server/test/start-api.ts';
import { testAccount } from './account-commands.ts';
import { testAlerts } from './alert-commands.ts';
import { testChanging } from './changing-commands.ts';
import { useMaster } from './master.ts';
import { testOthers } from './other-commands.ts';
import { testReading } from './reading-commands.ts';

const master = useMaster({ transports: NO_TRANSPORTS });
testReading(master);
testOthers(master);
testChanging(master);
testAlerts(master);
testAccount(master);
