import { PageHeader } from '../../components/page-header.tsx';

/** The page. */
export const Page = () => <PageHeader title="host" />;
