import { createAdagents, generateAdagents } from './adagents-generate/routes.ts';
import { validateAdagents, validateProperty, validatePublisher } from './adagents-validate/route.ts';
import { listAgentChecks } from './agent-checks/route.ts';
import { agentPage } from './agent-page/route.ts';
import {
  createOrganizationKey,
  listOrganizationKeys,
  rerollOrganizationKey,
  revokeOrganizationKey,
} from './api-keys/route.ts';
import {
  badgeEmbed,
  badgeEmbedUnpinned,
  badgePicture,
  badgePictureUnpinned,
  badgeVerification,
  badgeVerificationUnpinned,
} from './badge/route.ts';
import { listPrices } from './billing/prices.ts';
import {
  confirmSandboxCheckout,
  createCheckoutSession,
  receiveBillingEvent,
  showSandboxCheckout,
} from './billing/routes.ts';
import {
  listOwnDeliveries,
  listOwnDestinations,
  resendOwnDelivery,
  sendTestWebhook,
  showOwnDelivery,
} from './buyer-webhooks/routes.ts';
import {
  listCardKeys,
  listOwnWebhookKeys,
  showOwnDeliveryBody,
  showOwnWebhookStats,
} from './buyer-webhooks/look-routes.ts';
import {
  countOwnRange,
  listOwnRanges,
  resendOwnRange,
  showOwnRange,
  stopOwnRange,
} from './buyer-webhooks/range-routes.ts';
import { endOwnRegistration, listOwnRegistrations, testOwnRegistration } from './buyer-webhooks/registration-routes.ts';
import { makePortalLink } from './portal-links/route.ts';
import { brandHistory } from './brands/history-route.ts';
import { getBrandJson } from './brands/json-route.ts';
import { findBrand, listBrands } from './brands/list-routes.ts';
import { resolveBrand, resolveBrands } from './brands/resolve-routes.ts';
import { listAgents } from './browse/agents.ts';
import { agentPublishers } from './browse/agent-publishers.ts';
import { getAgentDomains, lookUpDomain } from './browse/look-ups.ts';
import { getRegistryStats, listPublishers } from './browse/publishers.ts';
import { checkAuthorization, checkAuthorizations } from './check-authorization/route.ts';
import { checkBadges } from './check-badges/route.ts';
import { checkProperties } from './check-properties/route.ts';
import { requestCrawl } from './crawl-publisher/route.ts';
import { claimDomain, verifyClaim } from './claims/route.ts';
import { createOrganization } from './create-organization/route.ts';
import { approveJoinRequest, rejectJoinRequest } from './decide-join-request/route.ts';
import { discoverAgent } from './discover-agent/route.ts';
import { listDomains, releaseDomain } from './domains/route.ts';
import type { Endpoint } from './endpoint.ts';
import { exportCsv, exportNdjson } from './export/route.ts';
import { readFeed, streamFeed } from './feed/route.ts';
import { readSnapshot } from './feed/snapshot.ts';
import { getCheckReport } from './get-check-report/route.ts';
import { listJoinRequests } from './list-join-requests/route.ts';
import { lookUpOperator } from './look-up-operator/route.ts';
import {
  deleteHostedAdagents,
  getHostedAdagents,
  putHostedAdagents,
  verifyHostedAdagents,
} from './hosted-adagents/routes.ts';
import { savePublicProperty } from './hosted-adagents/save-property.ts';
import { serveHostedAdagents } from './hosted-adagents/serve-route.ts';
import { changeProfile, getProfile } from './member-profile/route.ts';
import { changeMember, listMembers, removeMember, transferOrganization } from './members/route.ts';
import { changeAgent, deleteAgent, listMyAgents, registerAgent } from './my-agents/route.ts';
import { listMyJoinRequests, withdrawJoinRequest } from './my-join-requests/route.ts';
import { listMyOrganizations } from './my-organizations/route.ts';
import { publisherHistory, propertyHistory } from './publisher-history/route.ts';
import { publisherPage } from './publisher-page/route.ts';
import { publisherStatus } from './publisher-status/route.ts';
import {
  changePublisherWebhook,
  deletePublisherWebhook,
  listPublisherWebhooks,
  registerPublisherWebhook,
  testPublisherWebhook,
} from './publisher-webhooks/routes.ts';
import { expandProductIdentifiers, validateProductAuthorization } from './public-authorization/product-routes.ts';
import { validatePropertyAuthorization } from './public-authorization/identifier-route.ts';
import { getAgentFormats, getAgentProducts } from './public-agent-lists/routes.ts';
import { lookUpIdentifier } from './public-identifier/route.ts';
import { requestPublicCrawl } from './public-crawl/route.ts';
import { listPublicProperties } from './public-properties/list-route.ts';
import { resolveProperty } from './public-properties/resolve-route.ts';
import { lookUpPublisher } from './public-publisher/route.ts';
import { publicRefusals } from './public-refusals/routes.ts';
import { requestToJoin } from './request-to-join/route.ts';
import { resolveProperties } from './resolve-properties/route.ts';
import { publisherSellers } from './sellers/route.ts';
import { searchAgents } from './search-agents/route.ts';
import { searchPublishers } from './search-publishers/route.ts';
import { searchRegistry } from './search/route.ts';

/** Every endpoint of the registry; routing and OpenAPI follow from this list. */
export const endpoints: readonly Endpoint[] = [
  checkProperties,
  getCheckReport,
  resolveProperties,
  lookUpOperator,
  checkAuthorization,
  checkAuthorizations,
  listAgents,
  listPublishers,
  getRegistryStats,
  lookUpDomain,
  agentPublishers,
  getAgentDomains,
  exportCsv,
  exportNdjson,
  requestCrawl,
  // Before those by domain.
  searchPublishers,
  publisherStatus,
  publisherHistory,
  propertyHistory,
  publisherPage,
  publisherSellers,
  registerPublisherWebhook,
  listPublisherWebhooks,
  changePublisherWebhook,
  deletePublisherWebhook,
  testPublisherWebhook,
  putHostedAdagents,
  getHostedAdagents,
  verifyHostedAdagents,
  deleteHostedAdagents,
  serveHostedAdagents,
  savePublicProperty,
  resolveProperty,
  listPublicProperties,
  lookUpPublisher,
  lookUpIdentifier,
  validatePropertyAuthorization,
  validateProductAuthorization,
  expandProductIdentifiers,
  requestPublicCrawl,
  searchAgents,
  ...[resolveBrand, resolveBrands, getBrandJson, listBrands, findBrand, brandHistory],
  ...publicRefusals,
  searchRegistry,
  validateAdagents,
  validatePublisher,
  validateProperty,
  generateAdagents,
  createAdagents,
  createOrganization,
  listPrices,
  createCheckoutSession,
  receiveBillingEvent,
  showSandboxCheckout,
  confirmSandboxCheckout,
  requestToJoin,
  listJoinRequests,
  approveJoinRequest,
  rejectJoinRequest,
  listMyJoinRequests,
  withdrawJoinRequest,
  listMyOrganizations,
  listMembers,
  changeMember,
  removeMember,
  transferOrganization,
  claimDomain,
  verifyClaim,
  listDomains,
  releaseDomain,
  createOrganizationKey,
  listOrganizationKeys,
  rerollOrganizationKey,
  revokeOrganizationKey,
  getProfile,
  changeProfile,
  discoverAgent,
  getAgentFormats,
  getAgentProducts,
  registerAgent,
  listMyAgents,
  changeAgent,
  deleteAgent,
  badgeEmbed,
  badgeEmbedUnpinned,
  badgePicture,
  badgePictureUnpinned,
  badgeVerification,
  badgeVerificationUnpinned,
  checkBadges,
  listAgentChecks,
  agentPage,
  readFeed,
  readSnapshot,
  streamFeed,
  listOwnDeliveries,
  showOwnDelivery,
  resendOwnDelivery,
  listOwnDestinations,
  sendTestWebhook,
  ...[showOwnDeliveryBody, showOwnWebhookStats, listOwnWebhookKeys, listCardKeys],
  makePortalLink,
  ...[listOwnRegistrations, endOwnRegistration, testOwnRegistration],
  ...[countOwnRange, resendOwnRange, listOwnRanges, showOwnRange, stopOwnRange],
];
