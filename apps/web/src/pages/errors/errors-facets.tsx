import { levelName } from '@quarterdeck/core/plain';
import type { ErrlogFacets } from '@quarterdeck/sdk';
import { Facet } from '../../components/facets.tsx';
import type { ChangeParams } from '../../data/use-params.ts';
import { errorsText } from '../../text/errors.ts';
import type { ErrorsQuery } from './errors-query.ts';

interface ErrorsFacetsProps {
  readonly facets: ErrlogFacets;
  readonly filter: ErrorsQuery['filter'];
  readonly onChange: ChangeParams;
}

const chosenOf = (value: string | number | undefined): readonly string[] => (value === undefined ? [] : [`${value}`]);
/** The choice of a property that can have one value only. */
const oneOf = (chosen: readonly string[]): string | undefined => chosen.at(-1);

/** The facets of the list. */
export function ErrorsFacets({ facets, filter, onChange }: ErrorsFacetsProps) {
  const words = errorsText;
  return (
    <>
      <Facet
        title={words.level}
        values={facets.levels.map(({ level, count }) => ({ key: `${level}`, text: levelName(level), count }))}
        chosen={chosenOf(filter.level)}
        onChange={(chosen) => onChange({ level: oneOf(chosen), level_max: undefined })}
      />
      <Facet
        title={words.state}
        values={facets.states.map(({ state, count }) => ({ key: state, text: state, count }))}
        chosen={filter.state?.split(',') ?? []}
        onChange={(chosen) => onChange({ state: chosen.join(',') })}
      />
      <Facet
        title={words.service}
        values={facets.services
          .filter(({ service }) => service !== '')
          .map(({ service, count }) => ({ key: service, text: service, count }))}
        chosen={chosenOf(filter.service)}
        onChange={(chosen) => onChange({ service: oneOf(chosen) })}
      />
      <Facet
        title={words.source}
        values={facets.sources.map(({ src, name, count }) => ({ key: `${src}`, text: name, count }))}
        chosen={chosenOf(filter.src)}
        onChange={(chosen) => onChange({ src: oneOf(chosen) })}
      />
    </>
  );
}
