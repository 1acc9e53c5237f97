"""Every request and response of Kafka, and the messages that live in topics and files: one typed class each.

::

    from kafkawire import messages

    body = messages.MetadataRequest(topics=[messages.MetadataRequest.Topic(name="events")]).encode(version=9)
    response = messages.MetadataResponse.decode(data, version=9)

A class holds all versions of its message, those of Kafka 0.8 to 4.4. The names are Kafka's own, fields in snake case.
The modules are grouped by subject and imported when a class of theirs is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kafkawire.messages.api_keys import (
    ApiKey,
    request_class,
    request_header_version,
    response_class,
    response_header_version,
)

if TYPE_CHECKING:
    from kafkawire.messages.broker_files import (
        AbortedTxn as AbortedTxn,
    )
    from kafkawire.messages.broker_files import (
        DefaultPrincipalData as DefaultPrincipalData,
    )
    from kafkawire.messages.broker_files import (
        ProducerSnapshot as ProducerSnapshot,
    )
    from kafkawire.messages.broker_files import (
        QuorumStateData as QuorumStateData,
    )
    from kafkawire.messages.brokers import (
        BrokerHeartbeatRequest as BrokerHeartbeatRequest,
    )
    from kafkawire.messages.brokers import (
        BrokerHeartbeatResponse as BrokerHeartbeatResponse,
    )
    from kafkawire.messages.brokers import (
        BrokerRegistrationRequest as BrokerRegistrationRequest,
    )
    from kafkawire.messages.brokers import (
        BrokerRegistrationResponse as BrokerRegistrationResponse,
    )
    from kafkawire.messages.brokers import (
        ControllerRegistrationRequest as ControllerRegistrationRequest,
    )
    from kafkawire.messages.brokers import (
        ControllerRegistrationResponse as ControllerRegistrationResponse,
    )
    from kafkawire.messages.brokers import (
        UnregisterBrokerRequest as UnregisterBrokerRequest,
    )
    from kafkawire.messages.brokers import (
        UnregisterBrokerResponse as UnregisterBrokerResponse,
    )
    from kafkawire.messages.brokers import (
        UnregisterControllerRequest as UnregisterControllerRequest,
    )
    from kafkawire.messages.brokers import (
        UnregisterControllerResponse as UnregisterControllerResponse,
    )
    from kafkawire.messages.brokers import (
        UpdateFeaturesRequest as UpdateFeaturesRequest,
    )
    from kafkawire.messages.brokers import (
        UpdateFeaturesResponse as UpdateFeaturesResponse,
    )
    from kafkawire.messages.configs import (
        AlterClientQuotasRequest as AlterClientQuotasRequest,
    )
    from kafkawire.messages.configs import (
        AlterClientQuotasResponse as AlterClientQuotasResponse,
    )
    from kafkawire.messages.configs import (
        AlterConfigsRequest as AlterConfigsRequest,
    )
    from kafkawire.messages.configs import (
        AlterConfigsResponse as AlterConfigsResponse,
    )
    from kafkawire.messages.configs import (
        DescribeClientQuotasRequest as DescribeClientQuotasRequest,
    )
    from kafkawire.messages.configs import (
        DescribeClientQuotasResponse as DescribeClientQuotasResponse,
    )
    from kafkawire.messages.configs import (
        DescribeConfigsRequest as DescribeConfigsRequest,
    )
    from kafkawire.messages.configs import (
        DescribeConfigsResponse as DescribeConfigsResponse,
    )
    from kafkawire.messages.configs import (
        IncrementalAlterConfigsRequest as IncrementalAlterConfigsRequest,
    )
    from kafkawire.messages.configs import (
        IncrementalAlterConfigsResponse as IncrementalAlterConfigsResponse,
    )
    from kafkawire.messages.configs import (
        ListClientMetricsResourcesRequest as ListClientMetricsResourcesRequest,
    )
    from kafkawire.messages.configs import (
        ListClientMetricsResourcesResponse as ListClientMetricsResourcesResponse,
    )
    from kafkawire.messages.configs import (
        ListConfigResourcesRequest as ListConfigResourcesRequest,
    )
    from kafkawire.messages.configs import (
        ListConfigResourcesResponse as ListConfigResourcesResponse,
    )
    from kafkawire.messages.connection import (
        ApiVersionsRequest as ApiVersionsRequest,
    )
    from kafkawire.messages.connection import (
        ApiVersionsResponse as ApiVersionsResponse,
    )
    from kafkawire.messages.connection import (
        EnvelopeRequest as EnvelopeRequest,
    )
    from kafkawire.messages.connection import (
        EnvelopeResponse as EnvelopeResponse,
    )
    from kafkawire.messages.connection import (
        GetTelemetrySubscriptionsRequest as GetTelemetrySubscriptionsRequest,
    )
    from kafkawire.messages.connection import (
        GetTelemetrySubscriptionsResponse as GetTelemetrySubscriptionsResponse,
    )
    from kafkawire.messages.connection import (
        PushTelemetryRequest as PushTelemetryRequest,
    )
    from kafkawire.messages.connection import (
        PushTelemetryResponse as PushTelemetryResponse,
    )
    from kafkawire.messages.connection import (
        SaslAuthenticateRequest as SaslAuthenticateRequest,
    )
    from kafkawire.messages.connection import (
        SaslAuthenticateResponse as SaslAuthenticateResponse,
    )
    from kafkawire.messages.connection import (
        SaslHandshakeRequest as SaslHandshakeRequest,
    )
    from kafkawire.messages.connection import (
        SaslHandshakeResponse as SaslHandshakeResponse,
    )
    from kafkawire.messages.consumer_groups import (
        ConsumerGroupDescribeRequest as ConsumerGroupDescribeRequest,
    )
    from kafkawire.messages.consumer_groups import (
        ConsumerGroupDescribeResponse as ConsumerGroupDescribeResponse,
    )
    from kafkawire.messages.consumer_groups import (
        ConsumerGroupHeartbeatRequest as ConsumerGroupHeartbeatRequest,
    )
    from kafkawire.messages.consumer_groups import (
        ConsumerGroupHeartbeatResponse as ConsumerGroupHeartbeatResponse,
    )
    from kafkawire.messages.consumer_protocol import (
        ConsumerProtocolAssignment as ConsumerProtocolAssignment,
    )
    from kafkawire.messages.consumer_protocol import (
        ConsumerProtocolSubscription as ConsumerProtocolSubscription,
    )
    from kafkawire.messages.control_records import (
        ControlRecordTypeSchema as ControlRecordTypeSchema,
    )
    from kafkawire.messages.control_records import (
        EndTxnMarker as EndTxnMarker,
    )
    from kafkawire.messages.control_records import (
        KRaftVersionRecord as KRaftVersionRecord,
    )
    from kafkawire.messages.control_records import (
        LeaderChangeMessage as LeaderChangeMessage,
    )
    from kafkawire.messages.control_records import (
        SnapshotFooterRecord as SnapshotFooterRecord,
    )
    from kafkawire.messages.control_records import (
        SnapshotHeaderRecord as SnapshotHeaderRecord,
    )
    from kafkawire.messages.control_records import (
        VotersRecord as VotersRecord,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupCurrentMemberAssignmentKey as ConsumerGroupCurrentMemberAssignmentKey,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupCurrentMemberAssignmentValue as ConsumerGroupCurrentMemberAssignmentValue,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupMemberMetadataKey as ConsumerGroupMemberMetadataKey,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupMemberMetadataValue as ConsumerGroupMemberMetadataValue,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupMetadataKey as ConsumerGroupMetadataKey,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupMetadataValue as ConsumerGroupMetadataValue,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupPartitionMetadataKey as ConsumerGroupPartitionMetadataKey,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupPartitionMetadataValue as ConsumerGroupPartitionMetadataValue,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupRegularExpressionKey as ConsumerGroupRegularExpressionKey,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupRegularExpressionValue as ConsumerGroupRegularExpressionValue,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupTargetAssignmentMemberKey as ConsumerGroupTargetAssignmentMemberKey,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupTargetAssignmentMemberValue as ConsumerGroupTargetAssignmentMemberValue,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupTargetAssignmentMetadataKey as ConsumerGroupTargetAssignmentMetadataKey,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupTargetAssignmentMetadataValue as ConsumerGroupTargetAssignmentMetadataValue,
    )
    from kafkawire.messages.group_records import (
        GroupMetadataKey as GroupMetadataKey,
    )
    from kafkawire.messages.group_records import (
        GroupMetadataValue as GroupMetadataValue,
    )
    from kafkawire.messages.group_records import (
        LegacyOffsetCommitKey as LegacyOffsetCommitKey,
    )
    from kafkawire.messages.group_records import (
        LegacyOffsetCommitValue as LegacyOffsetCommitValue,
    )
    from kafkawire.messages.group_records import (
        OffsetCommitKey as OffsetCommitKey,
    )
    from kafkawire.messages.group_records import (
        OffsetCommitValue as OffsetCommitValue,
    )
    from kafkawire.messages.groups import (
        DeleteGroupsRequest as DeleteGroupsRequest,
    )
    from kafkawire.messages.groups import (
        DeleteGroupsResponse as DeleteGroupsResponse,
    )
    from kafkawire.messages.groups import (
        DescribeGroupsRequest as DescribeGroupsRequest,
    )
    from kafkawire.messages.groups import (
        DescribeGroupsResponse as DescribeGroupsResponse,
    )
    from kafkawire.messages.groups import (
        FindCoordinatorRequest as FindCoordinatorRequest,
    )
    from kafkawire.messages.groups import (
        FindCoordinatorResponse as FindCoordinatorResponse,
    )
    from kafkawire.messages.groups import (
        HeartbeatRequest as HeartbeatRequest,
    )
    from kafkawire.messages.groups import (
        HeartbeatResponse as HeartbeatResponse,
    )
    from kafkawire.messages.groups import (
        JoinGroupRequest as JoinGroupRequest,
    )
    from kafkawire.messages.groups import (
        JoinGroupResponse as JoinGroupResponse,
    )
    from kafkawire.messages.groups import (
        LeaveGroupRequest as LeaveGroupRequest,
    )
    from kafkawire.messages.groups import (
        LeaveGroupResponse as LeaveGroupResponse,
    )
    from kafkawire.messages.groups import (
        ListGroupsRequest as ListGroupsRequest,
    )
    from kafkawire.messages.groups import (
        ListGroupsResponse as ListGroupsResponse,
    )
    from kafkawire.messages.groups import (
        SyncGroupRequest as SyncGroupRequest,
    )
    from kafkawire.messages.groups import (
        SyncGroupResponse as SyncGroupResponse,
    )
    from kafkawire.messages.headers import RequestHeader as RequestHeader
    from kafkawire.messages.headers import ResponseHeader as ResponseHeader
    from kafkawire.messages.log_dirs import (
        AlterReplicaLogDirsRequest as AlterReplicaLogDirsRequest,
    )
    from kafkawire.messages.log_dirs import (
        AlterReplicaLogDirsResponse as AlterReplicaLogDirsResponse,
    )
    from kafkawire.messages.log_dirs import (
        AssignReplicasToDirsRequest as AssignReplicasToDirsRequest,
    )
    from kafkawire.messages.log_dirs import (
        AssignReplicasToDirsResponse as AssignReplicasToDirsResponse,
    )
    from kafkawire.messages.log_dirs import (
        DescribeLogDirsRequest as DescribeLogDirsRequest,
    )
    from kafkawire.messages.log_dirs import (
        DescribeLogDirsResponse as DescribeLogDirsResponse,
    )
    from kafkawire.messages.metadata import (
        DescribeClusterRequest as DescribeClusterRequest,
    )
    from kafkawire.messages.metadata import (
        DescribeClusterResponse as DescribeClusterResponse,
    )
    from kafkawire.messages.metadata import (
        DescribeTopicPartitionsRequest as DescribeTopicPartitionsRequest,
    )
    from kafkawire.messages.metadata import (
        DescribeTopicPartitionsResponse as DescribeTopicPartitionsResponse,
    )
    from kafkawire.messages.metadata import (
        MetadataRequest as MetadataRequest,
    )
    from kafkawire.messages.metadata import (
        MetadataResponse as MetadataResponse,
    )
    from kafkawire.messages.metadata_records import (
        AbortTransactionRecord as AbortTransactionRecord,
    )
    from kafkawire.messages.metadata_records import (
        AccessControlEntryRecord as AccessControlEntryRecord,
    )
    from kafkawire.messages.metadata_records import (
        BeginTransactionRecord as BeginTransactionRecord,
    )
    from kafkawire.messages.metadata_records import (
        BrokerRegistrationChangeRecord as BrokerRegistrationChangeRecord,
    )
    from kafkawire.messages.metadata_records import (
        ClearElrRecord as ClearElrRecord,
    )
    from kafkawire.messages.metadata_records import (
        ClientQuotaRecord as ClientQuotaRecord,
    )
    from kafkawire.messages.metadata_records import (
        ConfigRecord as ConfigRecord,
    )
    from kafkawire.messages.metadata_records import (
        DelegationTokenRecord as DelegationTokenRecord,
    )
    from kafkawire.messages.metadata_records import (
        EndTransactionRecord as EndTransactionRecord,
    )
    from kafkawire.messages.metadata_records import (
        FeatureLevelRecord as FeatureLevelRecord,
    )
    from kafkawire.messages.metadata_records import (
        FenceBrokerRecord as FenceBrokerRecord,
    )
    from kafkawire.messages.metadata_records import (
        NoOpRecord as NoOpRecord,
    )
    from kafkawire.messages.metadata_records import (
        PartitionChangeRecord as PartitionChangeRecord,
    )
    from kafkawire.messages.metadata_records import (
        PartitionRecord as PartitionRecord,
    )
    from kafkawire.messages.metadata_records import (
        ProducerIdsRecord as ProducerIdsRecord,
    )
    from kafkawire.messages.metadata_records import (
        RegisterBrokerRecord as RegisterBrokerRecord,
    )
    from kafkawire.messages.metadata_records import (
        RegisterControllerRecord as RegisterControllerRecord,
    )
    from kafkawire.messages.metadata_records import (
        RemoveAccessControlEntryRecord as RemoveAccessControlEntryRecord,
    )
    from kafkawire.messages.metadata_records import (
        RemoveDelegationTokenRecord as RemoveDelegationTokenRecord,
    )
    from kafkawire.messages.metadata_records import (
        RemoveTopicRecord as RemoveTopicRecord,
    )
    from kafkawire.messages.metadata_records import (
        RemoveUserScramCredentialRecord as RemoveUserScramCredentialRecord,
    )
    from kafkawire.messages.metadata_records import (
        TopicRecord as TopicRecord,
    )
    from kafkawire.messages.metadata_records import (
        UnfenceBrokerRecord as UnfenceBrokerRecord,
    )
    from kafkawire.messages.metadata_records import (
        UnregisterBrokerRecord as UnregisterBrokerRecord,
    )
    from kafkawire.messages.metadata_records import (
        UnregisterControllerRecord as UnregisterControllerRecord,
    )
    from kafkawire.messages.metadata_records import (
        UserScramCredentialRecord as UserScramCredentialRecord,
    )
    from kafkawire.messages.metadata_records import (
        ZkMigrationStateRecord as ZkMigrationStateRecord,
    )
    from kafkawire.messages.offsets import (
        OffsetCommitRequest as OffsetCommitRequest,
    )
    from kafkawire.messages.offsets import (
        OffsetCommitResponse as OffsetCommitResponse,
    )
    from kafkawire.messages.offsets import (
        OffsetDeleteRequest as OffsetDeleteRequest,
    )
    from kafkawire.messages.offsets import (
        OffsetDeleteResponse as OffsetDeleteResponse,
    )
    from kafkawire.messages.offsets import (
        OffsetFetchRequest as OffsetFetchRequest,
    )
    from kafkawire.messages.offsets import (
        OffsetFetchResponse as OffsetFetchResponse,
    )
    from kafkawire.messages.produce_fetch import (
        DeleteRecordsRequest as DeleteRecordsRequest,
    )
    from kafkawire.messages.produce_fetch import (
        DeleteRecordsResponse as DeleteRecordsResponse,
    )
    from kafkawire.messages.produce_fetch import (
        FetchRequest as FetchRequest,
    )
    from kafkawire.messages.produce_fetch import (
        FetchResponse as FetchResponse,
    )
    from kafkawire.messages.produce_fetch import (
        ListOffsetsRequest as ListOffsetsRequest,
    )
    from kafkawire.messages.produce_fetch import (
        ListOffsetsResponse as ListOffsetsResponse,
    )
    from kafkawire.messages.produce_fetch import (
        OffsetForLeaderEpochRequest as OffsetForLeaderEpochRequest,
    )
    from kafkawire.messages.produce_fetch import (
        OffsetForLeaderEpochResponse as OffsetForLeaderEpochResponse,
    )
    from kafkawire.messages.produce_fetch import (
        ProduceRequest as ProduceRequest,
    )
    from kafkawire.messages.produce_fetch import (
        ProduceResponse as ProduceResponse,
    )
    from kafkawire.messages.raft import (
        AddRaftVoterRequest as AddRaftVoterRequest,
    )
    from kafkawire.messages.raft import (
        AddRaftVoterResponse as AddRaftVoterResponse,
    )
    from kafkawire.messages.raft import (
        BeginQuorumEpochRequest as BeginQuorumEpochRequest,
    )
    from kafkawire.messages.raft import (
        BeginQuorumEpochResponse as BeginQuorumEpochResponse,
    )
    from kafkawire.messages.raft import (
        DescribeQuorumRequest as DescribeQuorumRequest,
    )
    from kafkawire.messages.raft import (
        DescribeQuorumResponse as DescribeQuorumResponse,
    )
    from kafkawire.messages.raft import (
        EndQuorumEpochRequest as EndQuorumEpochRequest,
    )
    from kafkawire.messages.raft import (
        EndQuorumEpochResponse as EndQuorumEpochResponse,
    )
    from kafkawire.messages.raft import (
        FetchSnapshotRequest as FetchSnapshotRequest,
    )
    from kafkawire.messages.raft import (
        FetchSnapshotResponse as FetchSnapshotResponse,
    )
    from kafkawire.messages.raft import (
        RemoveRaftVoterRequest as RemoveRaftVoterRequest,
    )
    from kafkawire.messages.raft import (
        RemoveRaftVoterResponse as RemoveRaftVoterResponse,
    )
    from kafkawire.messages.raft import (
        UpdateRaftVoterRequest as UpdateRaftVoterRequest,
    )
    from kafkawire.messages.raft import (
        UpdateRaftVoterResponse as UpdateRaftVoterResponse,
    )
    from kafkawire.messages.raft import (
        VoteRequest as VoteRequest,
    )
    from kafkawire.messages.raft import (
        VoteResponse as VoteResponse,
    )
    from kafkawire.messages.remote_log_records import (
        RemoteLogSegmentMetadataRecord as RemoteLogSegmentMetadataRecord,
    )
    from kafkawire.messages.remote_log_records import (
        RemoteLogSegmentMetadataSnapshotRecord as RemoteLogSegmentMetadataSnapshotRecord,
    )
    from kafkawire.messages.remote_log_records import (
        RemoteLogSegmentMetadataUpdateRecord as RemoteLogSegmentMetadataUpdateRecord,
    )
    from kafkawire.messages.remote_log_records import (
        RemotePartitionDeleteMetadataRecord as RemotePartitionDeleteMetadataRecord,
    )
    from kafkawire.messages.replicas import (
        AlterPartitionRequest as AlterPartitionRequest,
    )
    from kafkawire.messages.replicas import (
        AlterPartitionResponse as AlterPartitionResponse,
    )
    from kafkawire.messages.replicas import (
        ControlledShutdownRequest as ControlledShutdownRequest,
    )
    from kafkawire.messages.replicas import (
        ControlledShutdownResponse as ControlledShutdownResponse,
    )
    from kafkawire.messages.replicas import (
        LeaderAndIsrRequest as LeaderAndIsrRequest,
    )
    from kafkawire.messages.replicas import (
        LeaderAndIsrResponse as LeaderAndIsrResponse,
    )
    from kafkawire.messages.replicas import (
        StopReplicaRequest as StopReplicaRequest,
    )
    from kafkawire.messages.replicas import (
        StopReplicaResponse as StopReplicaResponse,
    )
    from kafkawire.messages.replicas import (
        UpdateMetadataRequest as UpdateMetadataRequest,
    )
    from kafkawire.messages.replicas import (
        UpdateMetadataResponse as UpdateMetadataResponse,
    )
    from kafkawire.messages.security import (
        AlterUserScramCredentialsRequest as AlterUserScramCredentialsRequest,
    )
    from kafkawire.messages.security import (
        AlterUserScramCredentialsResponse as AlterUserScramCredentialsResponse,
    )
    from kafkawire.messages.security import (
        CreateAclsRequest as CreateAclsRequest,
    )
    from kafkawire.messages.security import (
        CreateAclsResponse as CreateAclsResponse,
    )
    from kafkawire.messages.security import (
        CreateDelegationTokenRequest as CreateDelegationTokenRequest,
    )
    from kafkawire.messages.security import (
        CreateDelegationTokenResponse as CreateDelegationTokenResponse,
    )
    from kafkawire.messages.security import (
        DeleteAclsRequest as DeleteAclsRequest,
    )
    from kafkawire.messages.security import (
        DeleteAclsResponse as DeleteAclsResponse,
    )
    from kafkawire.messages.security import (
        DescribeAclsRequest as DescribeAclsRequest,
    )
    from kafkawire.messages.security import (
        DescribeAclsResponse as DescribeAclsResponse,
    )
    from kafkawire.messages.security import (
        DescribeDelegationTokenRequest as DescribeDelegationTokenRequest,
    )
    from kafkawire.messages.security import (
        DescribeDelegationTokenResponse as DescribeDelegationTokenResponse,
    )
    from kafkawire.messages.security import (
        DescribeUserScramCredentialsRequest as DescribeUserScramCredentialsRequest,
    )
    from kafkawire.messages.security import (
        DescribeUserScramCredentialsResponse as DescribeUserScramCredentialsResponse,
    )
    from kafkawire.messages.security import (
        ExpireDelegationTokenRequest as ExpireDelegationTokenRequest,
    )
    from kafkawire.messages.security import (
        ExpireDelegationTokenResponse as ExpireDelegationTokenResponse,
    )
    from kafkawire.messages.security import (
        RenewDelegationTokenRequest as RenewDelegationTokenRequest,
    )
    from kafkawire.messages.security import (
        RenewDelegationTokenResponse as RenewDelegationTokenResponse,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupCurrentMemberAssignmentKey as ShareGroupCurrentMemberAssignmentKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupCurrentMemberAssignmentValue as ShareGroupCurrentMemberAssignmentValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupMemberMetadataKey as ShareGroupMemberMetadataKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupMemberMetadataValue as ShareGroupMemberMetadataValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupMetadataKey as ShareGroupMetadataKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupMetadataValue as ShareGroupMetadataValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupMetadataValue39 as ShareGroupMetadataValue39,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupPartitionMetadataKey as ShareGroupPartitionMetadataKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupPartitionMetadataValue as ShareGroupPartitionMetadataValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupStatePartitionMetadataKey as ShareGroupStatePartitionMetadataKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupStatePartitionMetadataValue as ShareGroupStatePartitionMetadataValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupTargetAssignmentMemberKey as ShareGroupTargetAssignmentMemberKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupTargetAssignmentMemberValue as ShareGroupTargetAssignmentMemberValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupTargetAssignmentMetadataKey as ShareGroupTargetAssignmentMetadataKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupTargetAssignmentMetadataValue as ShareGroupTargetAssignmentMetadataValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareSnapshotKey as ShareSnapshotKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareSnapshotValue as ShareSnapshotValue,
    )
    from kafkawire.messages.share_group_records import (
        ShareUpdateKey as ShareUpdateKey,
    )
    from kafkawire.messages.share_group_records import (
        ShareUpdateValue as ShareUpdateValue,
    )
    from kafkawire.messages.share_groups import (
        AlterShareGroupOffsetsRequest as AlterShareGroupOffsetsRequest,
    )
    from kafkawire.messages.share_groups import (
        AlterShareGroupOffsetsResponse as AlterShareGroupOffsetsResponse,
    )
    from kafkawire.messages.share_groups import (
        DeleteShareGroupOffsetsRequest as DeleteShareGroupOffsetsRequest,
    )
    from kafkawire.messages.share_groups import (
        DeleteShareGroupOffsetsResponse as DeleteShareGroupOffsetsResponse,
    )
    from kafkawire.messages.share_groups import (
        DescribeShareGroupOffsetsRequest as DescribeShareGroupOffsetsRequest,
    )
    from kafkawire.messages.share_groups import (
        DescribeShareGroupOffsetsResponse as DescribeShareGroupOffsetsResponse,
    )
    from kafkawire.messages.share_groups import (
        ShareAcknowledgeRequest as ShareAcknowledgeRequest,
    )
    from kafkawire.messages.share_groups import (
        ShareAcknowledgeResponse as ShareAcknowledgeResponse,
    )
    from kafkawire.messages.share_groups import (
        ShareFetchRequest as ShareFetchRequest,
    )
    from kafkawire.messages.share_groups import (
        ShareFetchResponse as ShareFetchResponse,
    )
    from kafkawire.messages.share_groups import (
        ShareGroupDescribeRequest as ShareGroupDescribeRequest,
    )
    from kafkawire.messages.share_groups import (
        ShareGroupDescribeResponse as ShareGroupDescribeResponse,
    )
    from kafkawire.messages.share_groups import (
        ShareGroupHeartbeatRequest as ShareGroupHeartbeatRequest,
    )
    from kafkawire.messages.share_groups import (
        ShareGroupHeartbeatResponse as ShareGroupHeartbeatResponse,
    )
    from kafkawire.messages.share_state import (
        DeleteShareGroupStateRequest as DeleteShareGroupStateRequest,
    )
    from kafkawire.messages.share_state import (
        DeleteShareGroupStateResponse as DeleteShareGroupStateResponse,
    )
    from kafkawire.messages.share_state import (
        InitializeShareGroupStateRequest as InitializeShareGroupStateRequest,
    )
    from kafkawire.messages.share_state import (
        InitializeShareGroupStateResponse as InitializeShareGroupStateResponse,
    )
    from kafkawire.messages.share_state import (
        ReadShareGroupStateRequest as ReadShareGroupStateRequest,
    )
    from kafkawire.messages.share_state import (
        ReadShareGroupStateResponse as ReadShareGroupStateResponse,
    )
    from kafkawire.messages.share_state import (
        ReadShareGroupStateSummaryRequest as ReadShareGroupStateSummaryRequest,
    )
    from kafkawire.messages.share_state import (
        ReadShareGroupStateSummaryResponse as ReadShareGroupStateSummaryResponse,
    )
    from kafkawire.messages.share_state import (
        ReadShareGroupStateSummaryResponse39 as ReadShareGroupStateSummaryResponse39,
    )
    from kafkawire.messages.share_state import (
        WriteShareGroupStateRequest as WriteShareGroupStateRequest,
    )
    from kafkawire.messages.share_state import (
        WriteShareGroupStateResponse as WriteShareGroupStateResponse,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupCurrentMemberAssignmentKey as StreamsGroupCurrentMemberAssignmentKey,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupCurrentMemberAssignmentValue as StreamsGroupCurrentMemberAssignmentValue,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupMemberMetadataKey as StreamsGroupMemberMetadataKey,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupMemberMetadataValue as StreamsGroupMemberMetadataValue,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupMetadataKey as StreamsGroupMetadataKey,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupMetadataValue as StreamsGroupMetadataValue,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupTargetAssignmentMemberKey as StreamsGroupTargetAssignmentMemberKey,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupTargetAssignmentMemberValue as StreamsGroupTargetAssignmentMemberValue,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupTargetAssignmentMetadataKey as StreamsGroupTargetAssignmentMetadataKey,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupTargetAssignmentMetadataValue as StreamsGroupTargetAssignmentMetadataValue,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupTopologyKey as StreamsGroupTopologyKey,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupTopologyValue as StreamsGroupTopologyValue,
    )
    from kafkawire.messages.streams_groups import (
        StreamsGroupDescribeRequest as StreamsGroupDescribeRequest,
    )
    from kafkawire.messages.streams_groups import (
        StreamsGroupDescribeResponse as StreamsGroupDescribeResponse,
    )
    from kafkawire.messages.streams_groups import (
        StreamsGroupHeartbeatRequest as StreamsGroupHeartbeatRequest,
    )
    from kafkawire.messages.streams_groups import (
        StreamsGroupHeartbeatResponse as StreamsGroupHeartbeatResponse,
    )
    from kafkawire.messages.streams_groups import (
        StreamsGroupTopologyDescriptionUpdateRequest as StreamsGroupTopologyDescriptionUpdateRequest,
    )
    from kafkawire.messages.streams_groups import (
        StreamsGroupTopologyDescriptionUpdateResponse as StreamsGroupTopologyDescriptionUpdateResponse,
    )
    from kafkawire.messages.topics import (
        AlterPartitionReassignmentsRequest as AlterPartitionReassignmentsRequest,
    )
    from kafkawire.messages.topics import (
        AlterPartitionReassignmentsResponse as AlterPartitionReassignmentsResponse,
    )
    from kafkawire.messages.topics import (
        CreatePartitionsRequest as CreatePartitionsRequest,
    )
    from kafkawire.messages.topics import (
        CreatePartitionsResponse as CreatePartitionsResponse,
    )
    from kafkawire.messages.topics import (
        CreateTopicsRequest as CreateTopicsRequest,
    )
    from kafkawire.messages.topics import (
        CreateTopicsResponse as CreateTopicsResponse,
    )
    from kafkawire.messages.topics import (
        DeleteTopicsRequest as DeleteTopicsRequest,
    )
    from kafkawire.messages.topics import (
        DeleteTopicsResponse as DeleteTopicsResponse,
    )
    from kafkawire.messages.topics import (
        ElectLeadersRequest as ElectLeadersRequest,
    )
    from kafkawire.messages.topics import (
        ElectLeadersResponse as ElectLeadersResponse,
    )
    from kafkawire.messages.topics import (
        ListPartitionReassignmentsRequest as ListPartitionReassignmentsRequest,
    )
    from kafkawire.messages.topics import (
        ListPartitionReassignmentsResponse as ListPartitionReassignmentsResponse,
    )
    from kafkawire.messages.transaction_records import (
        TransactionLogKey as TransactionLogKey,
    )
    from kafkawire.messages.transaction_records import (
        TransactionLogValue as TransactionLogValue,
    )
    from kafkawire.messages.transactions import (
        AddOffsetsToTxnRequest as AddOffsetsToTxnRequest,
    )
    from kafkawire.messages.transactions import (
        AddOffsetsToTxnResponse as AddOffsetsToTxnResponse,
    )
    from kafkawire.messages.transactions import (
        AddPartitionsToTxnRequest as AddPartitionsToTxnRequest,
    )
    from kafkawire.messages.transactions import (
        AddPartitionsToTxnResponse as AddPartitionsToTxnResponse,
    )
    from kafkawire.messages.transactions import (
        AllocateProducerIdsRequest as AllocateProducerIdsRequest,
    )
    from kafkawire.messages.transactions import (
        AllocateProducerIdsResponse as AllocateProducerIdsResponse,
    )
    from kafkawire.messages.transactions import (
        DescribeProducersRequest as DescribeProducersRequest,
    )
    from kafkawire.messages.transactions import (
        DescribeProducersResponse as DescribeProducersResponse,
    )
    from kafkawire.messages.transactions import (
        DescribeTransactionsRequest as DescribeTransactionsRequest,
    )
    from kafkawire.messages.transactions import (
        DescribeTransactionsResponse as DescribeTransactionsResponse,
    )
    from kafkawire.messages.transactions import (
        EndTxnRequest as EndTxnRequest,
    )
    from kafkawire.messages.transactions import (
        EndTxnResponse as EndTxnResponse,
    )
    from kafkawire.messages.transactions import (
        InitProducerIdRequest as InitProducerIdRequest,
    )
    from kafkawire.messages.transactions import (
        InitProducerIdResponse as InitProducerIdResponse,
    )
    from kafkawire.messages.transactions import (
        ListTransactionsRequest as ListTransactionsRequest,
    )
    from kafkawire.messages.transactions import (
        ListTransactionsResponse as ListTransactionsResponse,
    )
    from kafkawire.messages.transactions import (
        TxnOffsetCommitRequest as TxnOffsetCommitRequest,
    )
    from kafkawire.messages.transactions import (
        TxnOffsetCommitResponse as TxnOffsetCommitResponse,
    )
    from kafkawire.messages.transactions import (
        WriteTxnMarkersRequest as WriteTxnMarkersRequest,
    )
    from kafkawire.messages.transactions import (
        WriteTxnMarkersResponse as WriteTxnMarkersResponse,
    )

# Where each class lives; the same as the imports above, for the interpreter. A test holds the two together.
_HOMES = {
    "broker_files": "AbortedTxn ProducerSnapshot QuorumStateData DefaultPrincipalData",
    "brokers": (
        "BrokerRegistrationRequest BrokerRegistrationResponse BrokerHeartbeatRequest BrokerHeartbeatResponse "
        "UnregisterBrokerRequest UnregisterBrokerResponse UpdateFeaturesRequest UpdateFeaturesResponse "
        "ControllerRegistrationRequest ControllerRegistrationResponse UnregisterControllerRequest "
        "UnregisterControllerResponse"
    ),
    "configs": (
        "DescribeConfigsRequest DescribeConfigsResponse AlterConfigsRequest AlterConfigsResponse "
        "IncrementalAlterConfigsRequest IncrementalAlterConfigsResponse ListConfigResourcesRequest "
        "ListConfigResourcesResponse ListClientMetricsResourcesRequest ListClientMetricsResourcesResponse "
        "DescribeClientQuotasRequest DescribeClientQuotasResponse AlterClientQuotasRequest "
        "AlterClientQuotasResponse"
    ),
    "connection": (
        "ApiVersionsRequest ApiVersionsResponse SaslHandshakeRequest SaslHandshakeResponse SaslAuthenticateRequest "
        "SaslAuthenticateResponse GetTelemetrySubscriptionsRequest GetTelemetrySubscriptionsResponse "
        "PushTelemetryRequest PushTelemetryResponse EnvelopeRequest EnvelopeResponse"
    ),
    "consumer_groups": (
        "ConsumerGroupHeartbeatRequest ConsumerGroupHeartbeatResponse ConsumerGroupDescribeRequest "
        "ConsumerGroupDescribeResponse"
    ),
    "consumer_protocol": "ConsumerProtocolSubscription ConsumerProtocolAssignment",
    "control_records": (
        "ControlRecordTypeSchema EndTxnMarker LeaderChangeMessage SnapshotHeaderRecord SnapshotFooterRecord "
        "KRaftVersionRecord VotersRecord"
    ),
    "group_records": (
        "LegacyOffsetCommitKey LegacyOffsetCommitValue OffsetCommitKey OffsetCommitValue GroupMetadataKey "
        "GroupMetadataValue ConsumerGroupMetadataKey ConsumerGroupMetadataValue ConsumerGroupPartitionMetadataKey "
        "ConsumerGroupPartitionMetadataValue ConsumerGroupMemberMetadataKey ConsumerGroupMemberMetadataValue "
        "ConsumerGroupTargetAssignmentMetadataKey ConsumerGroupTargetAssignmentMetadataValue "
        "ConsumerGroupTargetAssignmentMemberKey ConsumerGroupTargetAssignmentMemberValue "
        "ConsumerGroupCurrentMemberAssignmentKey ConsumerGroupCurrentMemberAssignmentValue "
        "ConsumerGroupRegularExpressionKey ConsumerGroupRegularExpressionValue"
    ),
    "groups": (
        "FindCoordinatorRequest FindCoordinatorResponse JoinGroupRequest JoinGroupResponse SyncGroupRequest "
        "SyncGroupResponse HeartbeatRequest HeartbeatResponse LeaveGroupRequest LeaveGroupResponse "
        "DescribeGroupsRequest DescribeGroupsResponse ListGroupsRequest ListGroupsResponse DeleteGroupsRequest "
        "DeleteGroupsResponse"
    ),
    "headers": "RequestHeader ResponseHeader",
    "log_dirs": (
        "AlterReplicaLogDirsRequest AlterReplicaLogDirsResponse DescribeLogDirsRequest DescribeLogDirsResponse "
        "AssignReplicasToDirsRequest AssignReplicasToDirsResponse"
    ),
    "metadata": (
        "MetadataRequest MetadataResponse DescribeTopicPartitionsRequest DescribeTopicPartitionsResponse "
        "DescribeClusterRequest DescribeClusterResponse"
    ),
    "metadata_records": (
        "RegisterBrokerRecord UnregisterBrokerRecord TopicRecord PartitionRecord ConfigRecord "
        "PartitionChangeRecord AccessControlEntryRecord FenceBrokerRecord UnfenceBrokerRecord RemoveTopicRecord "
        "DelegationTokenRecord UserScramCredentialRecord FeatureLevelRecord ClientQuotaRecord ProducerIdsRecord "
        "BrokerRegistrationChangeRecord RemoveAccessControlEntryRecord NoOpRecord ZkMigrationStateRecord "
        "RemoveUserScramCredentialRecord BeginTransactionRecord EndTransactionRecord AbortTransactionRecord "
        "RemoveDelegationTokenRecord RegisterControllerRecord ClearElrRecord UnregisterControllerRecord"
    ),
    "offsets": (
        "OffsetCommitRequest OffsetCommitResponse OffsetFetchRequest OffsetFetchResponse OffsetDeleteRequest "
        "OffsetDeleteResponse"
    ),
    "produce_fetch": (
        "ProduceRequest ProduceResponse FetchRequest FetchResponse ListOffsetsRequest ListOffsetsResponse "
        "OffsetForLeaderEpochRequest OffsetForLeaderEpochResponse DeleteRecordsRequest DeleteRecordsResponse"
    ),
    "raft": (
        "VoteRequest VoteResponse BeginQuorumEpochRequest BeginQuorumEpochResponse EndQuorumEpochRequest "
        "EndQuorumEpochResponse DescribeQuorumRequest DescribeQuorumResponse FetchSnapshotRequest "
        "FetchSnapshotResponse AddRaftVoterRequest AddRaftVoterResponse RemoveRaftVoterRequest "
        "RemoveRaftVoterResponse UpdateRaftVoterRequest UpdateRaftVoterResponse"
    ),
    "remote_log_records": (
        "RemoteLogSegmentMetadataRecord RemoteLogSegmentMetadataUpdateRecord RemotePartitionDeleteMetadataRecord "
        "RemoteLogSegmentMetadataSnapshotRecord"
    ),
    "replicas": (
        "LeaderAndIsrRequest LeaderAndIsrResponse StopReplicaRequest StopReplicaResponse UpdateMetadataRequest "
        "UpdateMetadataResponse ControlledShutdownRequest ControlledShutdownResponse AlterPartitionRequest "
        "AlterPartitionResponse"
    ),
    "security": (
        "DescribeAclsRequest DescribeAclsResponse CreateAclsRequest CreateAclsResponse DeleteAclsRequest "
        "DeleteAclsResponse CreateDelegationTokenRequest CreateDelegationTokenResponse RenewDelegationTokenRequest "
        "RenewDelegationTokenResponse ExpireDelegationTokenRequest ExpireDelegationTokenResponse "
        "DescribeDelegationTokenRequest DescribeDelegationTokenResponse DescribeUserScramCredentialsRequest "
        "DescribeUserScramCredentialsResponse AlterUserScramCredentialsRequest AlterUserScramCredentialsResponse"
    ),
    "share_group_records": (
        "ShareGroupPartitionMetadataKey ShareGroupPartitionMetadataValue ShareGroupMemberMetadataKey "
        "ShareGroupMemberMetadataValue ShareGroupMetadataKey ShareGroupMetadataValue ShareGroupMetadataValue39 "
        "ShareGroupTargetAssignmentMetadataKey ShareGroupTargetAssignmentMetadataValue "
        "ShareGroupTargetAssignmentMemberKey ShareGroupTargetAssignmentMemberValue "
        "ShareGroupCurrentMemberAssignmentKey ShareGroupCurrentMemberAssignmentValue "
        "ShareGroupStatePartitionMetadataKey ShareGroupStatePartitionMetadataValue ShareSnapshotKey "
        "ShareSnapshotValue ShareUpdateKey ShareUpdateValue"
    ),
    "share_groups": (
        "ShareGroupHeartbeatRequest ShareGroupHeartbeatResponse ShareGroupDescribeRequest "
        "ShareGroupDescribeResponse ShareFetchRequest ShareFetchResponse ShareAcknowledgeRequest "
        "ShareAcknowledgeResponse DescribeShareGroupOffsetsRequest DescribeShareGroupOffsetsResponse "
        "AlterShareGroupOffsetsRequest AlterShareGroupOffsetsResponse DeleteShareGroupOffsetsRequest "
        "DeleteShareGroupOffsetsResponse"
    ),
    "share_state": (
        "InitializeShareGroupStateRequest InitializeShareGroupStateResponse ReadShareGroupStateRequest "
        "ReadShareGroupStateResponse WriteShareGroupStateRequest WriteShareGroupStateResponse "
        "DeleteShareGroupStateRequest DeleteShareGroupStateResponse ReadShareGroupStateSummaryRequest "
        "ReadShareGroupStateSummaryResponse ReadShareGroupStateSummaryResponse39"
    ),
    "streams_group_records": (
        "StreamsGroupMetadataKey StreamsGroupMetadataValue StreamsGroupMemberMetadataKey "
        "StreamsGroupMemberMetadataValue StreamsGroupTargetAssignmentMetadataKey "
        "StreamsGroupTargetAssignmentMetadataValue StreamsGroupTargetAssignmentMemberKey "
        "StreamsGroupTargetAssignmentMemberValue StreamsGroupCurrentMemberAssignmentKey "
        "StreamsGroupCurrentMemberAssignmentValue StreamsGroupTopologyKey StreamsGroupTopologyValue"
    ),
    "streams_groups": (
        "StreamsGroupHeartbeatRequest StreamsGroupHeartbeatResponse StreamsGroupDescribeRequest "
        "StreamsGroupDescribeResponse StreamsGroupTopologyDescriptionUpdateRequest "
        "StreamsGroupTopologyDescriptionUpdateResponse"
    ),
    "topics": (
        "CreateTopicsRequest CreateTopicsResponse DeleteTopicsRequest DeleteTopicsResponse CreatePartitionsRequest "
        "CreatePartitionsResponse AlterPartitionReassignmentsRequest AlterPartitionReassignmentsResponse "
        "ListPartitionReassignmentsRequest ListPartitionReassignmentsResponse ElectLeadersRequest "
        "ElectLeadersResponse"
    ),
    "transaction_records": "TransactionLogKey TransactionLogValue",
    "transactions": (
        "InitProducerIdRequest InitProducerIdResponse AddPartitionsToTxnRequest AddPartitionsToTxnResponse "
        "AddOffsetsToTxnRequest AddOffsetsToTxnResponse EndTxnRequest EndTxnResponse WriteTxnMarkersRequest "
        "WriteTxnMarkersResponse TxnOffsetCommitRequest TxnOffsetCommitResponse DescribeProducersRequest "
        "DescribeProducersResponse DescribeTransactionsRequest DescribeTransactionsResponse "
        "ListTransactionsRequest ListTransactionsResponse AllocateProducerIdsRequest AllocateProducerIdsResponse"
    ),
}

_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "ApiKey",
    "request_class",
    "request_header_version",
    "response_class",
    "response_header_version",
]
__all__ += _HOME


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
