import { requireNode } from '@quarterdeck/core/require-node';

requireNode('quarterdeck-agent');
