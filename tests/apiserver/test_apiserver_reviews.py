"""Questions about users: there is one, and that one may do everything."""

import pytest

AUTHORIZATION = "/apis/authorization.k8s.io/v1"
AUTHENTICATION = "/apis/authentication.k8s.io/v1"
READ = {"verb": "get", "resource": "pods"}


def ask(api, path, spec, status=201):
    code, document = api.call("POST", path, {"spec": spec})
    assert code == status, document
    return document


def test_who_asks_is_told(api):
    user = ask(api, f"{AUTHENTICATION}/selfsubjectreviews", {})["status"]["userInfo"]
    assert user == {"username": "admin", "groups": ["system:masters", "system:authenticated"]}


def test_the_holder_of_the_token_may_do_everything(api, ns):
    path = f"{AUTHORIZATION}/selfsubjectaccessreviews"
    for spec in ({"resourceAttributes": READ}, {"nonResourceAttributes": {"path": "/metrics"}}):
        review = ask(api, path, spec)
        assert (review["kind"], review["spec"]) == ("SelfSubjectAccessReview", spec)
        assert review["status"] == {"allowed": True}
    rules = ask(api, f"{AUTHORIZATION}/selfsubjectrulesreviews", {"namespace": ns})["status"]
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
    assert (rules["resourceRules"][0], rules["incomplete"]) == (everything, False)


def test_others_may_do_nothing(api, ns):
    path = f"{AUTHORIZATION}/subjectaccessreviews"
    other = {"user": "nobody", "groups": ["some"], "resourceAttributes": READ}
    assert ask(api, path, other)["status"]["allowed"] is False
    for allowed in ({"user": "admin"}, {"groups": ["system:masters"]}):
        spec = {**allowed, "resourceAttributes": READ}
        assert ask(api, path, spec)["status"] == {"allowed": True}
    local = f"{AUTHORIZATION}/namespaces/{ns}/localsubjectaccessreviews"
    here = {"user": "admin", "resourceAttributes": {**READ, "namespace": ns}}
    assert ask(api, local, here)["status"] == {"allowed": True}
    ask(api, local, {"user": "admin", "resourceAttributes": READ}, 400)


@pytest.mark.parametrize(
    ("plural", "spec", "status", "field"),
    [
        ("selfsubjectaccessreviews", {}, 422, "spec.resourceAttributes"),
        (
            "selfsubjectaccessreviews",
            {"resourceAttributes": READ, "nonResourceAttributes": {"path": "/"}},
            422,
            "spec.nonResourceAttributes",
        ),
        ("subjectaccessreviews", {"resourceAttributes": READ}, 422, "spec.user"),
        ("selfsubjectrulesreviews", {}, 400, ""),
        ("subjectaccessreviews", {"user": 1, "resourceAttributes": READ}, 400, ""),
        ("subjectaccessreviews", {"user": "x", "groups": 1, "resourceAttributes": READ}, 400, ""),
        ("subjectaccessreviews", [], 400, ""),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(api, plural, spec, status, field):
    refusal = ask(api, f"{AUTHORIZATION}/{plural}", spec, status)
    causes = refusal.get("details", {}).get("causes", [])
    assert [cause["field"] for cause in causes] == ([field] if field else [])


def test_a_token_is_known_or_not(api):
    path = f"{AUTHENTICATION}/tokenreviews"
    status = ask(api, path, {"token": api.token})["status"]
    assert (status["authenticated"], status["user"]["username"]) == (True, "admin")
    status = ask(api, path, {"token": "bad"})["status"]
    assert "authenticated" not in status
    assert status["error"]
    ask(api, path, {}, 400)


@pytest.mark.parametrize("header", ["Impersonate-User", "Impersonate-Group", "impersonate-uid"])
def test_nobody_is_impersonated_unawares(api, header):
    status, refusal = api.call("GET", "/api/v1/pods", headers={header: "someone"})
    assert (status, refusal["reason"]) == (403, "Forbidden")
    assert "--as" in refusal["message"]


def test_reviews_are_questions_and_not_objects(api, ns):
    assert api.call("GET", f"{AUTHORIZATION}/subjectaccessreviews")[0] == 405
    assert api.call("GET", f"{AUTHORIZATION}/subjectaccessreviews/x")[0] == 404
    assert api.call("POST", f"{AUTHORIZATION}/localsubjectaccessreviews", {})[0] == 404


def test_kubectl_asks_in_protobuf_and_is_answered(kubectl):
    assert kubectl("auth", "can-i", "create", "pods") == "yes\n"
    assert "system:masters" in kubectl("auth", "whoami")
    assert "*.*" in kubectl("auth", "can-i", "--list")
    assert "impersonated" in kubectl("auth", "can-i", "get", "pods", "--as", "x", fails=True)
