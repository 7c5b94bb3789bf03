import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import type { SellingPublisher } from '../../sales/publisher/publisher.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { ListAuthorizedPropertiesRequest, ListAuthorizedPropertiesResponse } from './schema.ts';

/** Lists what this agent may sell (rule C.tasks.lists). */
export function listAuthorizedProperties({ catalog }: TaskDependencies): TaskDefinition {
  return inlineTask<ListAuthorizedPropertiesRequest>({
    name: 'list_authorized_properties',
    title: 'List authorized properties',
    description: 'Lists the publisher domains this agent sells for, and the properties on them.',
    tags: ['media-buy', 'discovery'],
    examples: [{ title: 'Everything', input: {} }],
    scope: 'tasks:read',
    input: ListAuthorizedPropertiesRequest,
    output: ListAuthorizedPropertiesResponse,
    answer() {
      const { publisher, publisher_domains, properties } = catalog;
      const result: ListAuthorizedPropertiesResponse = {
        publisher_domains: [...publisher_domains],
        primary_channels: [...publisher.channels],
        primary_countries: [...publisher.countries],
        portfolio_description: publisher.description,
        advertising_policies: policiesOf(publisher),
        properties: [...properties.values()],
      };
      const message = `${properties.size} properties on ${publisher_domains.length} domains`;
      return Promise.resolve({ result, message });
    },
  });
}

/** The policies in one text, for planners that read prose. */
function policiesOf({ policies }: SellingPublisher): string {
  const { advertising, prohibited_categories: never, restricted_categories: restricted } = policies;
  return [
    advertising,
    ...(never.length === 0 ? [] : [`Not taken: ${never.join(', ')}.`]),
    ...(restricted.length === 0
      ? []
      : [`Restricted: ${restricted.map(({ category, condition }) => `${category} (${condition})`).join('; ')}.`]),
    policies.creative_review,
  ].join('\n\n');
}
