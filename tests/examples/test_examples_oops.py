"""The failing example fails the same way every time, for the reason it gives."""


def test_an_empty_folder_ends_with_7_and_a_traceback_that_names_it(tmp_path, run):
    code, said = run("fail/oops.py", str(tmp_path / "train"))
    assert code == 7
    assert "in load\n" in said
    assert said.endswith(f"ValueError: batch of 0 images in {tmp_path}/train\n")


def test_it_fails_for_want_of_images_and_nothing_else(tmp_path, run):
    (tmp_path / "one.png").write_bytes(b"\x89PNG")
    assert run("fail/oops.py", str(tmp_path)) == (0, f"loading {tmp_path}\n1 images\n")
